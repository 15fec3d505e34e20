"""The acceptance profile: what the verifier demands and allows, from TOML files and flags, never from the receipt."""
