"""A secret that another process was given as an argument."""

import os

for name in os.listdir("/proc"):
    if name.isdigit() and int(name) != os.getpid():
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                print(name, file.read()[-200:])
        except OSError:
            continue
