"""Walks a tree of nodes, each of which copies the path so far."""


class Node:
    def __init__(self, depth):
        self.children = [Node(depth - 1) for _ in range(3)] if depth else []

    def walk(self, path):
        return self.visit(path)


class Leafy(Node):
    def __init__(self, depth):
        self.children = [Leafy(depth - 1) for _ in range(3)] if depth else []

    def visit(self, path):
        found = path + [id(self)] * 50  # cause
        count = len(set(found))  # cause
        return count + sum(child.walk(found) for child in self.children)


tree = Leafy(8)
print(sum(tree.walk([]) for _ in range(9)))
