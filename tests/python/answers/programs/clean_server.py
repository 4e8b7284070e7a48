"""A server that nobody asks anything."""

import http.server
import threading

server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
threading.Timer(2, server.shutdown).start()
server.serve_forever()
