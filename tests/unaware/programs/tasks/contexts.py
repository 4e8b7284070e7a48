"""Request identifiers in context variables: through tasks, threads, callbacks, copies."""

import asyncio
import contextvars
import threading

request = contextvars.ContextVar("request", default="none")


def names():
    return sorted(
        f"{variable.name}={value}" for variable, value in contextvars.copy_context().items()
    )


async def handle(number):
    request.set(number)
    await asyncio.sleep(0)
    return names(), await asyncio.to_thread(names)


async def main():
    print(await asyncio.gather(*(handle(number) for number in range(3))))
    print(names())
    seen = []
    context = contextvars.copy_context()
    context.run(request.set, "copied")
    asyncio.get_running_loop().call_soon(lambda: seen.append(names()), context=context)
    await asyncio.sleep(0)
    print(seen, len(context))


print(names(), len(contextvars.copy_context()))
asyncio.run(main())
thread = threading.Thread(target=lambda: print(names()))
thread.start()
thread.join()
print(names(), len(contextvars.Context()))
