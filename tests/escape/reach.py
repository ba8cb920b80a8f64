"""reach.py FILE: tries all targets at once, [[name, kind, address, port], ...] as JSON in FILE; kind: tcp,
udp, ping. Prints the names of those that answered (TCP: were connected) within three seconds, as JSON."""

import json
import selectors
import socket
import sys
import time

WAIT_S = 3.0
KINDS = {"tcp": socket.SOCK_STREAM, "udp": socket.SOCK_DGRAM, "ping": socket.SOCK_DGRAM}


def begin(kind, address, port):
    """A socket with the question under way; OSError when there is no way at all."""
    info = socket.getaddrinfo(address, port, type=KINDS[kind], flags=socket.AI_NUMERICHOST)[0]
    six = info[0] == socket.AF_INET6
    protocol = 0 if kind != "ping" else socket.IPPROTO_ICMPV6 if six else socket.IPPROTO_ICMP
    try:
        s = socket.socket(info[0], KINDS[kind], protocol)
    except PermissionError:  # a host that reserves ping to those with CAP_NET_RAW
        s = socket.socket(info[0], socket.SOCK_RAW, protocol)
    s.setblocking(False)
    if info[0] == socket.AF_INET:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    if kind == "tcp":
        s.connect_ex(info[4])
        if s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            raise OSError
    elif kind == "udp":
        s.sendto(b"hello", info[4])  # the answer may come from another address of the same host
    else:
        s.connect(info[4])
        s.send(b"\x80\0\0\0\0\1\0\1" if six else b"\x08\0\xf7\xfd\0\1\0\1")
    return s


def main():
    with open(sys.argv[1], encoding="ascii") as f:
        targets = json.load(f)
    answered, ready = [], selectors.DefaultSelector()
    for name, kind, address, port in targets:
        try:
            ready.register(begin(kind, address, port),
                           selectors.EVENT_WRITE if kind == "tcp" else selectors.EVENT_READ, name)
        except OSError:
            pass
    end = time.monotonic() + WAIT_S
    while ready.get_map() and (left := end - time.monotonic()) > 0:
        for key, _ in ready.select(left):
            ready.unregister(key.fileobj)
            try:
                if key.fileobj.type != socket.SOCK_STREAM:
                    key.fileobj.recv(64)
                else:
                    key.fileobj.getpeername()
                answered.append(key.data)
            except OSError:
                pass
    print(json.dumps(answered))


main()
