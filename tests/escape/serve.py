"""serve.py PORT: answers on TCP and UDP, IPv4 and IPv6, so that whoever reaches it knows. Prints each
sender and what came by UDP, one a line, and "ready" first."""

import selectors
import socket
import struct
import sys

GROUP = "239.255.77.1"  # of this network only
port = int(sys.argv[1])
ready = selectors.DefaultSelector()
for family in (socket.AF_INET, socket.AF_INET6):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        s = socket.socket(family, kind)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            if family == socket.AF_INET6:
                s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            elif kind == socket.SOCK_DGRAM:
                s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                             struct.pack("4s4s", socket.inet_aton(GROUP), bytes(4)))
        except OSError:
            pass  # nowhere to join it
        s.bind(("", port))
        if kind == socket.SOCK_STREAM:
            s.listen(64)
        ready.register(s, selectors.EVENT_READ, kind)
print("ready", flush=True)
while True:
    for key, _ in ready.select():
        if key.data == socket.SOCK_STREAM:
            peer, _ = key.fileobj.accept()
            peer.send(b"reached")
            peer.close()
        else:
            text, sender = key.fileobj.recvfrom(64)
            print(sender[0], text.decode("latin-1"), flush=True)
            key.fileobj.sendto(b"reached", sender)
