"""A program that runs as its owner, and gets the owner's capabilities: this interpreter, with the bit set."""

import os
import shutil
import subprocess
import sys

LOOK = "print([line for line in open('/proc/self/status') if line.startswith('Cap') or line.startswith('NoNew')])"

shutil.copy(os.path.realpath(sys.executable), "mine")
os.chmod("mine", 0o6755)
found = subprocess.run(
    ["./mine", "-I", "-S", "-c", LOOK], env={"PYTHONHOME": sys.base_prefix}, capture_output=True, text=True
)
print(found.stdout, found.stderr)
if "CapEff:\\t0000000000000000" not in found.stdout or "NoNewPrivs:\\t1" not in found.stdout:
    print("ESCAPED: it has capabilities, or may gain them")
