"""Decide whether two scalar expressions have the same value."""
