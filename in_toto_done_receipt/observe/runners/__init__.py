"""Running the tests of an untrusted change, so that what is reported can be compared with what happened.

Nothing here knows receipts: a runner starts tests in a room, reads its channel, and judges whether that agrees with
itself.
"""
