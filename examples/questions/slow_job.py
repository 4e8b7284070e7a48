"""A script without laps: it fetches orders, prices each by itself, and writes them as JSON."""

import json
import time

import pandas as pd


def fetch(count):
    time.sleep(0.5)  # in the place of a download
    numbers = range(count)
    return pd.DataFrame({"item": numbers, "count": [number % 7 for number in numbers]})


def price(order):
    return order["count"] * (1 + order["item"] % 100) * 0.99


def save(orders, path):
    with open(path, "w") as file:
        for _, order in orders.iterrows():
            file.write(json.dumps(order.to_dict()) + "\n")


def main():
    orders = fetch(60_000)
    orders["price"] = orders.apply(price, axis=1)
    save(orders, "orders.json")


if __name__ == "__main__":
    main()
