"""A service: threads block signals for themselves, one waits for them; timers run beside."""

import signal
import threading

from kernel import said

signals = {signal.SIGUSR1, signal.SIGRTMIN + 4}


def waits(ready):
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    print("\n".join(said()))
    ready.set()
    print(sorted(signal.sigwait(signals) for _ in range(2)))


ready = threading.Event()
thread = threading.Thread(target=waits, args=(ready,))
thread.start()
ready.wait()
for number in signals:
    signal.pthread_kill(thread.ident, number)
thread.join()
signal.signal(signal.SIGVTALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_VIRTUAL, 1000, 500)
print([round(each) for each in signal.setitimer(signal.ITIMER_VIRTUAL, 0)])
print(signal.sigpending(), signal.pthread_sigmask(signal.SIG_BLOCK, []))
print("\n".join(said()))
