"""The collector: what it finds of the program's own, its thresholds, its callbacks, its debug."""

import collections
import gc
import weakref


class Node:
    def __init__(self, next_node=None):
        self.next = next_node


class Leaf(Node):
    __slots__ = ("value",)


print(gc.isenabled(), gc.get_threshold(), gc.get_debug(), gc.callbacks, gc.garbage)
nodes = [Node(Leaf()) for _ in range(500)]
counts = collections.Counter(type(thing).__name__ for thing in gc.get_objects())
print(counts["Node"], counts["Leaf"], len(gc.get_referrers(nodes[0])))
gc.disable()  # When it runs by itself depends on all that ran before.
phases = []
gc.callbacks.append(lambda phase, info: phases.append((phase, sorted(info))))
died = []
for node in nodes:
    node.itself = node
    weakref.finalize(node, died.append, 1)
nodes.clear()
del node
print(gc.collect() >= 1000, len(died), phases)
gc.freeze()
print(gc.get_freeze_count() > 0)
gc.unfreeze()
