"""Find the final answer of a completion."""
