"""Tasks that take short turns, and then one that computes alone: nobody waits for it."""

import asyncio


async def ask(number):
    for _ in range(20):
        await asyncio.sleep(0.01)
    return number


async def main():
    numbers = await asyncio.gather(*(ask(number) for number in range(20)))
    total = 0
    for number in range(4_000_000):
        total += number % 7
    print(sum(numbers), total)


asyncio.run(main())
