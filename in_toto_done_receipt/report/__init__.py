"""Pure renderers: a result and a decision to text or JSON. They print what they are given and decide nothing."""
