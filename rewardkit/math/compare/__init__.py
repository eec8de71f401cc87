"""Compare two trees."""
