"""Pure renderers: a result and a decision to text or JSON, for people and for tools. They decide nothing."""
