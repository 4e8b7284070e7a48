"""A pool of processes for work in Python, with a main process that waits."""

import multiprocessing


def score(number):
    total = 0
    for n in range(60_000):  # cause
        total += n * number % 13  # cause
    return total


def main():
    with multiprocessing.Pool(2) as pool:
        results = pool.map(score, range(400))
    print(sum(results))


if __name__ == "__main__":
    main()
