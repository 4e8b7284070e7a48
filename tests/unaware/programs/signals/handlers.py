"""What handlers a program finds, and what it gets back when it sets its own."""

import faulthandler
import signal

for number in sorted(signal.valid_signals()):
    handler = signal.getsignal(number)
    if handler not in (signal.SIG_DFL, None):
        print(number, getattr(handler, "__name__", handler))
print(sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])), signal.sigpending())
print(faulthandler.is_enabled())
with open("/proc/self/status") as status:
    masks = dict(line.split() for line in status if line.startswith(("SigBlk", "SigIgn", "SigCgt")))
for name, mask in masks.items():
    print(name, [number for number in signal.valid_signals() if int(mask, 16) >> (number - 1) & 1])
for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    print(signal.signal(number, lambda number, frame: print("got", number)))
    signal.raise_signal(number)
