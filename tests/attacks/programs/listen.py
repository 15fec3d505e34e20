"""A port of the machine, taken so that others talk to this process."""

import json
import socket
import sys

facts = json.loads(sys.argv[1])
with socket.create_server(("127.0.0.1", facts["free"])) as server:
    server.settimeout(0.5)
    print("listening", flush=True)
    connection, _ = server.accept()
    print(connection.recv(1000))
