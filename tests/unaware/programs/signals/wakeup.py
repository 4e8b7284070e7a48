"""An event loop of its own: set_wakeup_fd, sigwait, pthread_kill, sigtimedwait."""

import os
import signal
import socket
import threading

ours, theirs = socket.socketpair()
theirs.setblocking(False)
print(signal.set_wakeup_fd(theirs.fileno()))
signal.signal(signal.SIGUSR1, lambda number, frame: None)
signal.raise_signal(signal.SIGUSR1)
print(ours.recv(10))
print(signal.set_wakeup_fd(-1) == theirs.fileno())
print(signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2, signal.SIGUSR1}))
os.kill(os.getpid(), signal.SIGUSR2)
print(signal.sigwait({signal.SIGUSR2}))
main = threading.get_ident()
thread = threading.Thread(target=lambda: signal.pthread_kill(main, signal.SIGUSR1))
thread.start()
print(signal.sigwaitinfo({signal.SIGUSR1}).si_signo)
thread.join()
print(signal.sigtimedwait({signal.SIGUSR1}, 0))
