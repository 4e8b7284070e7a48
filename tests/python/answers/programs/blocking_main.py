"""Handlers of one event loop, one of which computes for long without a turn for others."""

import asyncio
import hashlib


async def login(number):
    hashlib.pbkdf2_hmac("sha256", b"secret", b"salt", 250_000)  # cause
    return number


async def ping(number):
    await asyncio.sleep(0.01)
    return number


async def main():
    for number in range(10):
        await asyncio.gather(login(number), *(ping(one) for one in range(20)))


if __name__ == "__main__":
    asyncio.run(main())
