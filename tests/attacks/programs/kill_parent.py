"""A signal for the verifier. Signal 0 arrives where any would."""

import json
import os
import sys

facts = json.loads(sys.argv[1])
os.kill(facts["verifier"], 0)
with open(f"/proc/{facts['verifier']}/cmdline", "rb") as file:
    if b"verifier.py" in file.read():
        print("ESCAPED: the verifier can be killed")
