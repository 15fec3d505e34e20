"""Policy of the verifier's own: read, checked, compiled. It joins the decision and can only deny or warn."""
