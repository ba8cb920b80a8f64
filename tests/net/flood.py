"""flood.py PORT KIND: floods an nginx on 127.0.0.1 from addresses of its own until it is ended, then
prints how many answers of each status it got, as JSON. The headers of requests are read from stdin, one
a line. KIND: calls (a valid key), keys (a new wrong key each time), heads (requests whose head never
ends), bodies (requests whose body hardly comes)."""

import collections
import json
import signal
import socket
import sys
import threading
import time

from client import body

port, kind = int(sys.argv[1]), sys.argv[2]
headers = sys.stdin.read().splitlines()
counts, over = collections.Counter(), threading.Event()
THREADS, PAUSE_S, HELD = 8, 0.1, 200
SOURCE = {"calls": "127.0.0.3", "keys": "127.0.0.4", "heads": "127.0.0.5", "bodies": "127.0.0.6"}[kind]


def connect():
    return socket.create_connection(("127.0.0.1", port), 30, (SOURCE, 0))


def ask(number):
    """Requests one after the other, as quick as answers and a short pause allow."""
    turn = 0
    while not over.is_set():
        turn += 1
        lines = headers if kind == "calls" else [f"Authorization: Bearer bt_{number}_{turn}", *headers[1:]]
        content = body(command="true")
        raw = "\r\n".join(["POST /mcp HTTP/1.1", "Host: test", "Connection: close", *lines,
                           f"Content-Length: {len(content)}"]).encode() + b"\r\n\r\n" + content
        try:
            with connect() as s:
                s.sendall(raw)
                counts[s.recv(65536)[9:12].decode() or "none"] += 1
        except OSError:
            counts["broken"] += 1
        over.wait(PAUSE_S)


def hold():
    """Many connections that send a byte each now and then; a new one for each that is closed."""
    held = []
    begin = "\r\n".join(["POST /mcp HTTP/1.1", "Host: test", *headers]).encode()
    begin += b"\r\nX: " if kind == "heads" else b"\r\nContent-Length: 100000\r\n\r\n"
    while not over.is_set():
        while len(held) < HELD:
            held.append(connect())
            held[-1].setblocking(False)
            held[-1].send(begin)
            counts["opened"] += 1
        for s in list(held):
            try:
                s.send(b"x")
                s.recv(1)
                raise ConnectionError  # an answer, or the end: it was refused
            except BlockingIOError:
                pass
            except OSError:
                counts["closed"] += 1
                held.remove(s)
                s.close()
        over.wait(0.5)


signal.signal(signal.SIGTERM, lambda *_: over.set())
threads = [threading.Thread(target=ask, args=(i,)) for i in range(THREADS)]
if kind in ("heads", "bodies"):
    threads = [threading.Thread(target=hold)]
for t in threads:
    t.start()
print("ready", flush=True)
while not over.is_set():
    time.sleep(0.1)
for t in threads:
    t.join()
print(json.dumps(counts))
