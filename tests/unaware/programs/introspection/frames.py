"""How deep the stack is and who stands on it, for a script, a thread, a class body, a callback."""

import inspect
import sys
import threading
import traceback
import weakref


def stack():
    return [(frame.function, frame.lineno) for frame in inspect.stack()]


print(stack(), sys._getframe().f_back)
thread = threading.Thread(target=lambda: print(stack()[:2]))
thread.start()
thread.join()


class Body:
    where = stack()

    def __del__(self):
        print(stack())


print(Body.where)
Body()
thing = type("Thing", (), {})()
reference = weakref.ref(thing, lambda reference: print(stack()))
del thing
print(list(map(lambda number: len(stack()), range(2))))
traceback.print_stack()
print(sorted(inspect.currentframe().f_globals))
print(inspect.getmodule(stack).__name__, inspect.getsource(stack))
