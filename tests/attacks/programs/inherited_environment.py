"""The variables of this process."""

import os

print(dict(os.environ))
