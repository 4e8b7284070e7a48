"""A command that labels rows with `apply` in a pipeline of steps."""

import click
import numpy as np
import pandas as pd


def load(rows):
    numbers = np.random.default_rng(0)
    return pd.DataFrame({"price": numbers.uniform(1, 99, rows), "count": np.arange(rows) % 7})


def label(frame):
    return frame.assign(
        label=frame.apply(  # cause
            lambda row: "dear" if row["price"] * row["count"] > 100 else "cheap",  # cause
            axis=1,
        )
    )


def totals(frame):
    return frame.groupby("label")["price"].sum()


@click.group()
def cli():
    pass


@cli.command()
@click.option("--rows", default=150_000)
def report(rows):
    click.echo(load(rows).pipe(label).pipe(totals))


if __name__ == "__main__":
    cli(["report"])
