"""The done-receipt predicate: typed model, reader of v0.1, JSON Schema, coherence, the one-line summary.

The specification is `docs/done-receipt.md`.
"""
