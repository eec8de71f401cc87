"""The program that runs inside a box. Standard library only; nothing here imports the rest of the distribution."""
