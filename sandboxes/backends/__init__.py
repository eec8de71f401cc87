"""The sandbox backends, one file each."""
