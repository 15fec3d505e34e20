"""The hypervisor, by a kind of socket that no namespace separates."""

import socket

with socket.socket(socket.AF_VSOCK):
    print("ESCAPED: there is a socket to the hypervisor")
