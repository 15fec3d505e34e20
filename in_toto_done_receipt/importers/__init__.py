"""The two founding formats and the manifest: read as strictly as their originals, said in the new form, and back.

An old file becomes an `OldReceipt`: the done receipt it amounts to, the statement around it, and what its signatures
are over. `verify --as` examines that in place; `import` writes the statement, unsigned and naming its origin. Nothing
here verifies a signature or looks at a workspace.
"""
