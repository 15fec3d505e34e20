"""The environment of another process of the same user, whose number is not known."""

import os

for name in os.listdir("/proc"):
    if name.isdigit():
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                print(name, file.read())
        except OSError:
            continue
