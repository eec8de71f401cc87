"""Tools for models: parse calls, run them, answer them, within turns and budget."""
