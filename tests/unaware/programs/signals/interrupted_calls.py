"""System calls under a rain of signals: nothing is lost, everything is retried."""

import os
import select
import signal
import threading
import time

count = 0


def tick(number, frame):
    global count
    count += 1


signal.signal(signal.SIGALRM, tick)
signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
reader, writer = os.pipe()


def feed():
    for number in range(20):
        before = count
        while count == before:
            time.sleep(0.002)
        os.write(writer, bytes([number]))


thread = threading.Thread(target=feed)
thread.start()
got = b""
while len(got) < 20:
    select.select([reader], [], [], 5)
    got += os.read(reader, 100)
thread.join()
signal.setitimer(signal.ITIMER_REAL, 0)
print(got.hex(), count >= 20)
