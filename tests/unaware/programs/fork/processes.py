"""Work given to multiprocessing.Process, by each way to start one."""

import multiprocessing
import os
import random

from seen import randomness


def work(start, number, answers):
    random.seed(number)
    answers.put((start, number, sum(range(number)), randomness(), sorted(os.listdir("."))))


def main():
    for start in ("fork", "forkserver", "spawn"):
        context = multiprocessing.get_context(start)
        answers = context.SimpleQueue()
        workers = [context.Process(target=work, args=(start, n, answers)) for n in (10, 1000)]
        for worker in workers:
            worker.start()
        for answer in sorted(answers.get() for _ in workers):
            print(*answer)
        for worker in workers:
            worker.join()
            print(worker.name, worker.exitcode)


if __name__ == "__main__":
    main()
