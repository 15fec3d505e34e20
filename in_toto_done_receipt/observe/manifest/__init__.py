"""The canonical manifest of a whole output (agent-output-manifest/v1): form, reader, scan, difference."""
