"""The rewards, one module each. They are found by name through entry points, so nothing is imported here."""
