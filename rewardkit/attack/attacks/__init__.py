"""The built-in attacks, one idea a module. Each is a function of a problem and a seeded random generator."""
