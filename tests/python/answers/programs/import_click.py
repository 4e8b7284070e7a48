"""A command whose function imports a large library for a small thing."""

import click


def table(rows):
    import pandas  # cause

    return pandas.DataFrame(rows).to_string()


def rows(count):
    return [{"n": n, "square": n * n} for n in range(count)]


@click.command()
@click.option("--count", default=5)
def cli(count):
    click.echo(table(rows(count)))


if __name__ == "__main__":
    cli()
