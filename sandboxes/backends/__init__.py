"""The kinds of sandbox, one file each."""
