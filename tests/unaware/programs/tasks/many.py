"""Ten thousand tasks, generators left half way, an async generator closed by the loop."""

import asyncio
import gc


async def count(limit):
    try:
        for number in range(limit):
            yield number
            await asyncio.sleep(0)
    finally:
        print("closed", limit)


async def add(number, total):
    await asyncio.sleep(0)
    total.append(number)


async def main():
    total = []
    await asyncio.gather(*(add(number, total) for number in range(10_000)))
    print(sum(total), total[:5])
    async for number in count(100):
        if number == 3:
            break
    gc.collect()
    half = count(7)
    print(await half.__anext__())
    return half


half = asyncio.run(main())
print(half.ag_running)
