"""A file outside of the copy: empty it, remove it, put another beside it."""

import json
import os
import sys
from collections.abc import Callable

facts = json.loads(sys.argv[1])
attempts: tuple[Callable[[], object], ...] = (
    lambda: os.truncate(facts["precious"], 0),
    lambda: os.close(os.open(facts["precious"] + ".new", os.O_WRONLY | os.O_CREAT)),
    lambda: os.unlink(facts["precious"]),
)
for attempt in attempts:
    try:
        attempt()
    except OSError as fault:
        print(fault)
