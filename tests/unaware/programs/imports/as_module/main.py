"""Run by `python -m`: a package with a `__main__`, relative imports, its own name and spec."""
# start: -m packaged one --two -o three
