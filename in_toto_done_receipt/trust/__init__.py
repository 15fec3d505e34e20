"""Who signed: keys, Sigstore identities, the trust file. The only folder that verifies signatures."""
