"""The policy for tools with a contract of their own: their files, made from the rules and from policy/adapters."""
