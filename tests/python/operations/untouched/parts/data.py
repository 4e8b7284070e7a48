"""Where a step's batch comes from."""

from __future__ import annotations

from ..part import part

_PAIRS = """
class Pairs(torch.utils.data.Dataset):
    def __init__(self, batches):
        self.rows = [(x, y) for xs, ys in batches for x, y in zip(xs, ys)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]
"""

DATA = (
    part("passed", is_="passed"),
    part(
        "passed and changed",
        is_="passed changes",
        first="y += 1; y %= 3\nx *= 1",
    ),
    part(
        "passed in a dict",
        is_="passed",
        args='{"x": x, "y": y}',
        first='x, y = batch["x"], batch["y"]',
        is_dict="yes",
    ),
    part(
        "list with a cursor",
        setup="data, cursor = list(batches), 0",
        keeps="data cursor",
        batch="x, y = $data[$cursor % len($data)]; $cursor += 1",
    ),
    part(
        "list iterator", setup="feed = iter(batches * 4)", keeps="feed", batch="x, y = next($feed)"
    ),
    part(
        "generator",
        defs="""
def stream(batches):
    while True:
        for x, y in batches:
            yield x.clone(), y
""",
        setup="feed = stream(batches)",
        keeps="feed",
        batch="x, y = next($feed)",
        rare=True,
    ),
    part(
        "generator over an iterator",
        defs="""
def ahead(batches):
    source = itertools.cycle(batches)
    waiting = next(source)
    while True:
        yield waiting
        waiting = next(source)
""",
        setup="feed = ahead(batches)",
        keeps="feed",
        batch="x, y = next($feed)",
        rare=True,
    ),
    part(
        "generators in a tuple",
        defs="""
def each(batches, index):
    while True:
        for batch in batches:
            yield batch[index].clone()
""",
        setup="feeds = each(batches, 0), each(batches, 1)",
        keeps="feeds",
        batch="x, y = next($feeds[0]), next($feeds[1])",
        rare=True,
    ),
    part(
        "list iterators in a tuple",
        setup="feeds = tuple(iter([batch[i] for batch in batches * 4]) for i in range(2))",
        keeps="feeds",
        batch="x, y = (next(it) for it in $feeds)",
        rare=True,
    ),
    part(
        "DataLoader",
        defs=_PAIRS,
        setup="""
loader = torch.utils.data.DataLoader(Pairs(batches * 3), batch_size=4, shuffle=True)
feed = iter(loader)
""",
        keeps="feed",
        batch="x, y = next($feed)",
        rare=True,
    ),
    part(
        "cycle",
        setup="feed = itertools.cycle(batches)",
        keeps="feed",
        batch="x, y = next($feed)",
        rare=True,
    ),
    part(
        "queue",
        setup="""
feed = queue.Queue()
for batch in batches:
    feed.put(batch)
""",
        keeps="feed",
        batch="x, y = $feed.get(); $feed.put((x, y))",
    ),
    part(
        "list that is emptied",
        setup="data = list(batches) * 3",
        keeps="data",
        batch="x, y = $data.pop()",
    ),
    part(
        "object with __next__",
        defs="""
class Feed:
    def __init__(self, batches):
        self.batches, self.at, self.epoch = batches, 0, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.at == len(self.batches):
            self.at, self.epoch = 0, self.epoch + 1
        self.at += 1
        return self.batches[self.at - 1]
""",
        setup="feed = Feed(batches)",
        keeps="feed",
        batch="x, y = next($feed)",
    ),
    part(
        "made in the step",
        setup="shapes = [(tuple(x.shape), x.dtype) for x, y in batches]",
        keeps="shapes",
        batch="""
size, kind = $shapes[0]
x = torch.randn(size) if kind.is_floating_point else torch.randint(0, 20, size)
y = torch.randint(0, 3, (4,))
""",
    ),
)
