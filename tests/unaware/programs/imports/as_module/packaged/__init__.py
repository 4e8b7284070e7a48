"""A package to be run."""

print("init", __name__, __spec__.name)
