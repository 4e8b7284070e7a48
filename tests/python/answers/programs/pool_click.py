"""A command that sends large lists to workers which have little to do."""

from concurrent.futures import ProcessPoolExecutor

import click


def first(rows):
    return rows[0][0]


def send(pool, rows):
    return pool.submit(first, rows).result()  # cause


@click.command()
@click.option("--times", default=14)
def cli(times):
    rows = [(n, str(n), [n] * 3) for n in range(80_000)]
    with ProcessPoolExecutor(2) as pool:
        click.echo(sum(send(pool, rows) for _ in range(times)))


if __name__ == "__main__":
    cli()
