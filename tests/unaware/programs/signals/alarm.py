"""A watchdog by an interval timer: its handler runs in the main thread, between bytecodes."""

import signal

ticks = []
signal.signal(signal.SIGALRM, lambda number, frame: ticks.append(frame.f_code.co_name))


def busy():
    while len(ticks) < 5:
        pass


print(signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01))
busy()
signal.setitimer(signal.ITIMER_REAL, 0)
print(ticks[:5])


class TooLong(Exception):
    pass


def give_up(number, frame):
    raise TooLong


signal.signal(signal.SIGALRM, give_up)
signal.setitimer(signal.ITIMER_REAL, 0.01)
try:
    while True:
        pass
except TooLong:
    print("gave up", signal.getitimer(signal.ITIMER_REAL))
