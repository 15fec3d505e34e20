"""A setting of the kernel, below /proc/sys and /sys: its own value, written again."""

import re

for name in (
    "/proc/sys/net/core/somaxconn",
    "/proc/sys/kernel/panic",
    "/proc/sys/vm/swappiness",
    "/sys/kernel/mm/transparent_hugepage/enabled",
):
    try:
        with open(name) as file:
            value = file.read()
        chosen = re.search(r"\[(\w+)\]", value)
        with open(name, "w") as file:
            file.write(chosen[1] if chosen else value)
    except OSError as fault:
        print(fault)
    else:
        print("ESCAPED: wrote to", name)
