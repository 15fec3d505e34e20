"""Looking at the world, knowing nothing of receipts: files, a workspace, globs, seals, manifests, the sandbox."""
