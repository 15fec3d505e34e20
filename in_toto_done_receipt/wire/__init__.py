"""Bytes to immutable values and back. No I/O, no keys, no clock."""
