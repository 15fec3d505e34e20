"""The worker's side: make keys, collect evidence, build a statement that agrees with itself, sign it as it is."""
