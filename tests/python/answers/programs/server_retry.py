"""Asks a server that is slow and fails at times, through a decorator that tries again."""

import functools
import socket
import subprocess
import sys
import time

SERVER = """
import socket, time
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
while True:
    c, _ = s.accept()
    c.recv(100)
    time.sleep(0.15)
    c.sendall(b"ok")
    c.close()
"""


def retry(function):
    @functools.wraps(function)
    def wrapper(*args):
        for _ in range(3):
            try:
                return function(*args)
            except ConnectionError:
                time.sleep(0.01)
        raise ConnectionError

    return wrapper


class Api:
    def __init__(self, port):
        self.port = port

    @retry
    def call(self, question):
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.sendall(question)
            return connection.recv(100)  # cause


def main():
    server = subprocess.Popen([sys.executable, "-S", "-c", SERVER], stdout=subprocess.PIPE)
    api = Api(int(server.stdout.readline()))
    for number in range(12):
        api.call(b"question %d" % number)
    server.kill()


main()
