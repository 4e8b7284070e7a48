"""State shared by a Manager, a shared memory block, an Array under a lock."""

import multiprocessing
from multiprocessing import shared_memory


def add(names, block, numbers, number):
    names.append(f"worker {number}")
    attached = shared_memory.SharedMemory(block)
    attached.buf[number] = number
    attached.close()
    with numbers.get_lock():
        numbers[0] += number


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    block = shared_memory.SharedMemory(create=True, size=16)
    with context.Manager() as manager:
        names, numbers = manager.list(), context.Array("i", 2)
        workers = [
            context.Process(target=add, args=(names, block.name, numbers, n)) for n in range(4)
        ]
        for worker in workers:
            worker.start()
            worker.join()
        print(list(names), bytes(block.buf)[:6].hex(), numbers[:])
    block.close()
    block.unlink()
