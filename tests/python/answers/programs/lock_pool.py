"""A pool of threads whose account computes under a lock that all of them need."""

import threading
from concurrent.futures import ThreadPoolExecutor


class Account:
    def __init__(self):
        self.lock = threading.Lock()
        self.total = 0

    def interest(self, number):
        return sum(n % 7 for n in range(number))

    def add(self, number):
        with self.lock:
            self.total += self.interest(number)


class Audited(Account):
    def interest(self, number):
        checked = 0
        for n in range(number):  # cause
            checked ^= n * 31 % 97  # cause
        return checked


def main():
    account = Audited()
    with ThreadPoolExecutor(6) as pool:
        for _ in pool.map(account.add, [250_000] * 100):
            pass


if __name__ == "__main__":
    main()
