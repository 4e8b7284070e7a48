"""Asks a server that takes long for each answer."""

import http.server
import multiprocessing
import time
import urllib.request


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        time.sleep(0.2)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *args):
        pass


def serve(pipe):
    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    pipe.send(server.server_port)
    server.serve_forever()


def main():
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    port = ours.recv()
    for _ in range(10):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as answer:  # cause
            answer.read()
    server.terminate()


if __name__ == "__main__":
    main()
