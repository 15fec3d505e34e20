"""From a result to a decision, by asking the policy. Failing or undefined means denied."""
