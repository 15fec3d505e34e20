"""Nothing: a program called bwrap is first on the verifier's PATH, and a relative folder second."""
