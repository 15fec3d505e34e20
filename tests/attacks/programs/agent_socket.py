"""The socket of an agent, by its path."""

import json
import socket
import sys

facts = json.loads(sys.argv[1])
with socket.socket(socket.AF_UNIX) as there:
    there.connect(facts["agent"])
    print(there.recv(1000))
