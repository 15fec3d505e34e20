"""The clean room: base's tests on head's product, head as it is, and a runner that is tested too.

It runs the verifier's own test command, once for all receipts about a change, and compares. Nothing here reads a
receipt.
"""
