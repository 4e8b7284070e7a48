"""Objects of the standard library copied and pickled, with the modules that the pickle names."""

import collections
import copy
import functools
import io
import pickle
import pickletools
import threading


class Model:
    def __init__(self):
        self.weights = collections.OrderedDict(a=[1.0, 2.0], b=functools.partial(max, 3))
        self.itself = self

    def __reduce__(self):
        return (Model, (), {"weights": self.weights})


model = Model()
for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
    text = pickle.dumps(model, protocol)
    names = io.StringIO()
    pickletools.dis(text, names)
    print(protocol, len(text), hash(text))
print(copy.deepcopy(model).weights["b"](1, 2))
for thing in (threading.Lock(), (n for n in range(3)), lambda: 0, open("/dev/null")):
    try:
        copy.deepcopy(thing)
        pickle.dumps(thing)
    except Exception as error:
        print(type(error).__name__, str(error).split(" at 0x")[0])
