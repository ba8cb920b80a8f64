"""As much of sandbox-image/agent/wire.h as it takes to run one command in a sandbox."""

import secrets
import struct
import time
import zlib

MAGIC = b"\xb7Bk\x1d"
HEADER = 28
ACCEPTED, STEP_END, OUT, DONE = 65, 68, 69, 70
BEGIN, STEP, RUN = 1, 5, 6


def text(s):
    raw = s.encode()
    return struct.pack("<I", len(raw)) + raw


def encode(kind, call, seq, payload):
    head = MAGIC + struct.pack("<B3xIQI", kind, len(payload), call, seq)
    check = zlib.crc32(payload, zlib.crc32(head))
    return head + struct.pack("<I", check) + payload


def command(*argv, timeout_ms=60000):
    """All frames of a call that runs argv in /work."""
    call = secrets.randbits(63) | 1
    step = struct.pack("<IIII", timeout_ms, 20000, 20000, 0) + text("/work")
    step += struct.pack("<I", len(argv)) + b"".join(text(a) for a in argv) + struct.pack("<I", 0)
    return b"".join(
        (
            encode(BEGIN, call, 0, struct.pack("<IQI", 0, 0, 0)),
            encode(STEP, call, 1, step),
            encode(RUN, call, 2, struct.pack("<I", 2)),
        )
    )


def results(sock, held=b"", seconds=60.0):
    """Reads attach's stream until the call is done: (kinds of frames seen, standard output)."""
    kinds, out, stream, end = [], b"", b"", time.monotonic() + seconds
    while time.monotonic() < end:
        while len(held) >= 8 and len(held) >= 8 + (n := struct.unpack(">I", held[4:8])[0]):
            stream, held = stream + held[8 : 8 + n], held[8 + n :]
        while len(stream) >= HEADER:
            kind, length = stream[4], struct.unpack("<I", stream[8:12])[0]
            if len(stream) < HEADER + length:
                break
            payload, stream = stream[HEADER : HEADER + length], stream[HEADER + length :]
            kinds.append(kind)
            if kind == OUT and payload[4] == 1:
                out += payload[12:]
            if kind == DONE:
                return kinds, out.decode()
        held += sock.recv(65536)
    raise TimeoutError("the agent did not finish")
