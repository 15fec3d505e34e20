"""The shared vocabulary: findings, reason codes, states, the result document and the decision. Plain data."""
