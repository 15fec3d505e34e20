"""What a Sigstore bundle holds beside the envelope, verified piece by piece on public primitives."""
