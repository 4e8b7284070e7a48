"""A project with files that are called like the standard library's, which it never imports."""

import os

print("main", sorted(os.listdir(os.path.dirname(__file__))))
