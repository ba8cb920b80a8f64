"""Drives backtalk-agent over pipes for the tests: the wire protocol (wire.h), one agent in a
PID namespace of its own, and TAP. BACKTALK_AGENT names the binary; without it one is built."""

import atexit
import os
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import zlib

MAGIC = b"\xb7Bk\x1d"
BEGIN, FILE, STDIN, DATA, STEP, RUN, CANCEL = range(1, 8)
ACCEPTED, REFUSED, PROGRESS, STEP_END, OUT, DONE = range(65, 71)
BROKEN, BUSY, BAD = 1, 2, 3
EXITED, SIGNALED, TIMED_OUT, CANCELLED, NOT_STARTED, NOT_RUN = range(6)
NOT_ASKED, UNKNOWN, STAGED, FINISHED, FATE_CANCELLED = range(5)
PAYLOAD_MAX = 32768

HERE = os.path.dirname(os.path.abspath(__file__))
SCRATCH = tempfile.mkdtemp(prefix="agent-test-")
atexit.register(shutil.rmtree, SCRATCH, True)


# ---- TAP -----------------------------------------------------------------------------------

_count = 0
_failed = 0


def ok(good, name, detail=None):
    global _count, _failed
    _count += 1
    print(("ok" if good else "not ok"), _count, "-", name, flush=True)
    if not good:
        _failed += 1
        if detail is not None:
            for line in str(detail).splitlines():
                print("#", line, flush=True)
    return bool(good)


def equal(got, wanted, name):
    return ok(got == wanted, name, f"got    {got!r}\nwanted {wanted!r}")


def say(text):
    print("#", text, flush=True)


def main(*tests):
    """Runs the tests, each on its own; an exception is a failure of that test."""
    for test in tests:
        try:
            start = time.monotonic()
            test()
            say(f"{test.__name__}: {time.monotonic() - start:.1f} s")
        except Exception:
            ok(False, f"{test.__name__} ran to its end", traceback.format_exc())
    print(f"1..{_count}", flush=True)
    sys.exit(1 if _failed else 0)


def until(condition, seconds=5):
    """Polls until the condition holds; False when it never does."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.005)
    return bool(condition())


def cpu_ticks(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def rests(agent):
    """It uses no processor time worth the name."""
    used = cpu_ticks(agent.pid())
    time.sleep(0.5)
    return cpu_ticks(agent.pid()) - used <= 3


# ---- the binary ----------------------------------------------------------------------------

_binary = None


def binary():
    global _binary
    if _binary is None:
        _binary = os.environ.get("BACKTALK_AGENT")
    if not _binary:
        source = os.path.join(HERE, "../../sandbox-image/agent")
        _binary = os.path.join(SCRATCH, "backtalk-agent")
        files = [os.path.join(source, f) for f in sorted(os.listdir(source)) if f.endswith(".c")]
        subprocess.run([os.environ.get("CC", "gcc"), "-static", "-Os", "-s", "-std=gnu17",
                        '-DPACKAGE_VERSION="0.1.0"', "-o", _binary, *files], check=True)
    return os.path.abspath(_binary)


# ---- frames --------------------------------------------------------------------------------

def frame(kind, call, seq, payload=b""):
    head = MAGIC + struct.pack("<B3xIQI", kind, len(payload), call, seq)
    return head + struct.pack("<I", zlib.crc32(head + payload)) + payload


def text(s):
    if isinstance(s, str):
        s = s.encode()
    return struct.pack("<I", len(s)) + s


class Take:
    """Takes a payload apart."""

    def __init__(self, payload):
        self.left = payload

    def number(self, form):
        n, = struct.unpack_from("<" + form, self.left)
        self.left = self.left[struct.calcsize("<" + form):]
        return n

    def u32(self):
        return self.number("I")

    def i32(self):
        return self.number("i")

    def u64(self):
        return self.number("Q")

    def str(self):
        n = self.u32()
        s, self.left = self.left[:n], self.left[n:]
        assert len(s) == n
        return s.decode("utf-8", "surrogateescape")


class Frames(list):
    """The frames of one call, numbered as they are added."""

    def __init__(self, call):
        super().__init__()
        self.call = call

    def add(self, kind, payload=b""):
        self.append(frame(kind, self.call, len(self), payload))

    def data(self, content):
        for at in range(0, len(content), PAYLOAD_MAX):
            self.add(DATA, content[at:at + PAYLOAD_MAX])

    def begin(self, flags=0, previous=0, watch=()):
        self.add(BEGIN, struct.pack("<IQI", flags, previous, len(watch)) +
                 b"".join(map(text, watch)))

    def file(self, path, content, mode=0o644):
        self.add(FILE, struct.pack("<IQ", mode, len(content)) + text(path))
        self.data(content)

    def step(self, argv, cwd, timeout_ms=20000, head=0, tail=4000, input=None, env=()):
        if isinstance(argv, str):
            argv = ["bash", "-c", argv + "\nexit $?"]
        if input is not None:
            self.add(STDIN, struct.pack("<Q", len(input)))
            self.data(input)
        self.add(STEP, struct.pack("<IIII", timeout_ms, head, tail, input is not None) +
                 text(cwd) + struct.pack("<I", len(argv)) + b"".join(map(text, argv)) +
                 struct.pack("<I", len(env)) + b"".join(map(text, env)))

    def run(self):
        self.add(RUN, struct.pack("<I", len(self)))


class Got:
    """What a call came to."""

    def __init__(self):
        self.accepted = None
        self.steps, self.progress, self.kinds = [], [], []
        self.done = None


class Stream:
    def __init__(self, take):
        self.seen, self.head_len, self.tail_len = take.u64(), take.u64(), take.u64()
        self.log = take.str()
        self.head = self.tail = b""


def read_accepted(take):
    return dict(again=take.u32(), state=take.u32(), exit=take.i32(), signal=take.i32(),
                timed_out=take.u32(), wall_us=take.u64(), log=take.str())


def read_refused(take):
    return dict(reason=take.u32(), running=take.u64(), age_ms=take.u64(), text=take.str())


def read_step_end(take):
    step = dict(index=take.u32(), end=take.u32(), exit=take.i32(), signal=take.i32(),
                errno=take.i32(), wall_us=take.u64(), peak=take.u64(), input=take.u64(),
                input_read=take.u64())
    step["out"], step["err"] = Stream(take), Stream(take)
    return step


def read_done(take):
    done = dict(oom=take.u32(), changed=take.u32(), cancelled=take.u32(), errno=take.i32(),
                path=take.str(), background=take.u32())
    done["listed"] = [(take.u32(), take.str()) for _ in range(take.u32())]
    return done


# ---- an agent ------------------------------------------------------------------------------

_agents = []


class Agent:
    """An agent that runs; a new one for each test that may spoil it."""

    next_call = int.from_bytes(os.urandom(6), "little") << 12

    def __init__(self, before="", **env):
        self.dir = tempfile.mkdtemp(dir=SCRATCH)
        self.work, self.logs = self.dir + "/work", self.dir + "/log"
        os.mkdir(self.work)
        argv = [binary()]
        if before:
            argv = ["bash", "-c", before + '\nexec "$0"', *argv]
        self.start(argv, env)

    def start(self, argv, env):
        self.process = subprocess.Popen(
            ["unshare", "--pid", "--uts", "--fork", "--mount-proc", "--kill-child", *argv],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
            env=dict(os.environ, BACKTALK_LOG_DIR=self.logs, BACKTALK_WORK=self.work, **env))
        _agents.append(self)
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        os.set_blocking(self.stdin.fileno(), False)
        self.bytes = b""

    def pid(self):
        """The agent's process id, seen from outside."""
        listed = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        until(lambda: os.path.exists(listed) and open(listed).read().strip())
        return int(open(listed).read().split()[0])

    def rss_kib(self):
        return next(int(line.split()[1]) for line in open(f"/proc/{self.pid()}/status")
                    if line.startswith("VmRSS"))

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def new_call(self):
        Agent.next_call += 1
        return Agent.next_call

    def read_some(self):
        """What there is to read; None at the end."""
        return os.read(self.stdout.fileno(), 1 << 20) or None

    def write_some(self, piece):
        return os.write(self.stdin.fileno(), piece)

    def send(self, *pieces):
        """The agent may want to be read from meanwhile."""
        left = b"".join(pieces)
        end = time.monotonic() + 60
        while left:
            assert time.monotonic() < end, "the agent does not read"
            readable, writable, _ = select.select([self.stdout], [self.stdin], [], 1)
            if readable:
                self.bytes += self.read_some() or b""
            if writable:
                left = left[self.write_some(left[:1 << 16]):]

    def take_frame(self):
        """A whole frame from what has been read, or None."""
        while True:
            at = self.bytes.find(MAGIC)
            if at < 0 or len(self.bytes) < at + 28:
                return None
            kind, length, call, seq = struct.unpack_from("<B3xIQI", self.bytes, at + 4)
            if length <= PAYLOAD_MAX and len(self.bytes) < at + 28 + length:
                return None
            whole = self.bytes[at:at + 28 + length]
            if length > PAYLOAD_MAX or frame(kind, call, seq, whole[28:]) != whole:
                self.bytes = self.bytes[at + 1:]
                continue
            self.bytes = self.bytes[at + 28 + length:]
            return kind, call, seq, Take(whole[28:])

    def frame(self, seconds=30):
        """The agent's next frame; None when there is none in that time."""
        end = time.monotonic() + seconds
        while True:
            got = self.take_frame()
            if got:
                return got
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.stdout], [], [], left)[0]:
                return None
            piece = self.read_some()
            if piece is None:
                return None
            self.bytes += piece

    def answer(self, seconds=30):
        """ACCEPTED or REFUSED, as (kind, fields)."""
        got = self.frame(seconds)
        assert got, "no answer"
        assert got[0] in (ACCEPTED, REFUSED), got[0]
        return got[0], (read_accepted if got[0] == ACCEPTED else read_refused)(got[3])

    def collect(self, call, seconds=60):
        """Everything up to DONE of the call."""
        got = Got()
        while got.done is None:
            next_one = self.frame(seconds)
            assert next_one, f"no DONE, only {got.kinds}"
            kind, of, seq, take = next_one
            if of != call:
                continue
            got.kinds.append(kind)
            if kind == ACCEPTED:
                got.accepted = read_accepted(take)
            elif kind == PROGRESS:
                got.progress.append((take.u64(), take.u64(), take.u64(), take.str()))
            elif kind == STEP_END:
                got.steps.append(read_step_end(take))
            elif kind == OUT:
                index, which, part = take.u32(), take.u32(), take.u32()
                stream = got.steps[index]["out" if which == 1 else "err"]
                if part == 0:
                    stream.head += take.left
                else:
                    stream.tail += take.left
            elif kind == DONE:
                got.done = read_done(take)
            else:
                raise AssertionError(f"frame {kind}: {read_refused(take)}")
        for step in got.steps:
            for stream in step["out"], step["err"]:
                assert len(stream.head) == stream.head_len, "the head is not all there"
                assert len(stream.tail) == stream.tail_len, "the tail is not all there"
        return got

    def frames(self, *steps, files=(), call=None, flags=0, previous=0, watch=(), **how):
        """A whole call. A step is a command line, an argv or a dict of Frames.step."""
        made = Frames(call or self.new_call())
        made.begin(flags, previous, watch)
        for path, content, *mode in files:
            made.file(path, content, *mode)
        for step in steps:
            if not isinstance(step, dict):
                step = dict(argv=step)
            made.step(**{"cwd": self.work, **how, **step})
        made.run()
        return made

    def call(self, *steps, **how):
        made = self.frames(*steps, **how)
        self.send(*made)
        return self.collect(made.call)

    def run(self, step, **how):
        """One step; its end, with the whole call's DONE as ["done"]."""
        got = self.call(step, **how)
        return dict(got.steps[0], done=got.done, got=got)


@atexit.register
def _end_all():
    for agent in _agents:
        agent.close()


def kill_quietly(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
