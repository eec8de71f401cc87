"""Tools for models: parse calls, run them and return results, within limits on turns and tokens."""
