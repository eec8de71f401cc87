"""Read a text of mathematics into a typed tree."""
