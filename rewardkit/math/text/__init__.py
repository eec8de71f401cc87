"""Answers in words: choices, number words, dates, names."""
