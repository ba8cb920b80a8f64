#!/usr/bin/env -S python3 -B
"""The agent as PID 1 of a real container, over Docker's attach stream, with a sandbox's limits.

The container is made from BACKTALK_BASE_IMAGE (default debian:trixie-slim) on the engine at
BACKTALK_DOCKER_SOCKET (default /var/run/docker.sock); the binary is copied into it."""

import json
import os
import socket
from agentlib import *

SOCKET = os.environ.get("BACKTALK_DOCKER_SOCKET", "/var/run/docker.sock")
IMAGE = os.environ.get("BACKTALK_BASE_IMAGE", "debian:trixie-slim")
MIB = 1 << 20


def docker(*argv):
    return subprocess.run(["docker", "-H", "unix://" + SOCKET, *argv], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout.strip()


def request(method, path, body=None):
    """One HTTP request: the status, the answer's beginning, and the connection, for a stream."""
    content = b"" if body is None else json.dumps(body).encode()
    s = socket.socket(socket.AF_UNIX)
    s.connect(SOCKET)
    s.settimeout(60)
    s.sendall(f"{method} {path} HTTP/1.1\r\nHost: docker\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n"
              "Content-Type: application/json\r\n"
              f"Content-Length: {len(content)}\r\n\r\n".encode() + content)
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = s.recv(1)
        assert byte, "the engine hung up"
        head += byte
    return int(head.split()[1]), s


def create(name, memory):
    """A container with a sandbox's limits. StdinOnce must be false: the engine would close the
    agent's stdin when the first client goes."""
    status, s = request("POST", f"/containers/create?name={name}", {
        "Image": IMAGE, "Entrypoint": ["/usr/local/sbin/backtalk-agent"], "WorkingDir": "/work",
        "OpenStdin": True, "StdinOnce": False, "AttachStdin": False,
        "Labels": {"backtalk.test": "agent"},
        "HostConfig": {"Memory": memory, "MemorySwap": memory, "NanoCpus": 10**9, "CpuShares": 128,
                       "PidsLimit": 512, "LogConfig": {"Type": "none"}, "NetworkMode": "none"}})
    s.close()
    assert status == 201, status
    made.append(name)
    docker("cp", binary(), name + ":/usr/local/sbin/backtalk-agent")


class Container(Agent):
    """A container with an agent in it; `attach` gives another client of the same one."""

    def __init__(self, memory=256 * MIB):
        self.id = f"agent-test-{os.getpid()}-{len(made)}-{time.monotonic_ns()}"
        create(self.id, memory)
        self.work, self.logs = "/work", "/var/log/backtalk"
        self.attach()

    def attach(self):
        """Attaches, then starts: 204 when it was stopped, 304 when it ran."""
        status, self.socket = request(
            "POST", f"/containers/{self.id}/attach?stream=1&stdin=1&stdout=1")
        assert status in (101, 200), status
        self.started, s = request("POST", f"/containers/{self.id}/start")
        s.close()
        self.stdin = self.stdout = self.socket
        self.raw = self.bytes = b""

    def another(self):
        other = Container.__new__(Container)
        other.__dict__.update(self.__dict__)
        other.attach()
        return other

    def read_some(self):
        piece = self.socket.recv(1 << 16)
        if not piece:
            return None
        self.raw += piece
        got = b""
        while len(self.raw) >= 8:
            stream, length = struct.unpack(">B3xI", self.raw[:8])
            if len(self.raw) < 8 + length:
                break
            if stream == 1:
                got += self.raw[8:8 + length]
            self.raw = self.raw[8 + length:]
        return got

    def write_some(self, piece):
        return self.socket.send(piece)

    def pid(self):
        return int(docker("inspect", "--format={{.State.Pid}}", self.id))

    def remove(self):
        docker("rm", "-f", self.id)
        made.remove(self.id)


made = []


def remove_all():
    for one in list(made):
        subprocess.run(["docker", "-H", "unix://" + SOCKET, "rm", "-f", one],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


atexit.register(remove_all)


def size():
    c = Container()
    equal(c.started, 204, "attached first, then started")
    r = c.run("pwd; id -u; cat /proc/1/comm /proc/self/oom_score_adj")
    equal(r["out"].tail, b"/work\n0\nbacktalk-agent\n300\n", "a call in a container")
    again = c.another()
    equal(again.started, 304, "attached to a running one")
    times = []
    for _ in range(40):
        start = time.monotonic()
        again.run(["true"])
        times.append((time.monotonic() - start) * 1000)
    times.sort()
    say(f"a call of `true`, warm, attached: {times[20]:.1f} ms median, {times[0]:.1f} ms least")
    big = again.run("head -c 4M /dev/zero | cat", input=b"x" * (4 << 20), head=1 << 20)
    equal(len(big["out"].head), 1 << 20, "a large call")
    ok(until(lambda: c.rss_kib() < 1024), f"idle after it: {c.rss_kib()} KiB resident", c.rss_kib())
    ok(os.path.getsize(binary()) < 1 << 20, f"{os.path.getsize(binary()) // 1024} KiB on disk")
    c.remove()


def memory():
    c = Container(64 * MIB)
    r = c.run("head -c 200M /dev/zero | tail -c 150M | wc -c; exit ${PIPESTATUS[1]}",
              timeout_ms=120000)
    equal((r["end"], r["exit"]), (EXITED, 137), "a program over the memory limit is killed")
    ok(r["done"]["oom"] >= 1, "the out-of-memory counter has risen", r["done"])
    r = c.run(["perl", "-e", "$x = 'x' x (200 << 20); print length $x"], timeout_ms=120000)
    equal((r["end"], r["signal"]), (SIGNALED, 9), "when it is the step itself")
    ok(r["done"]["oom"] >= 1 and r["peak"] > 32 * MIB, "counted; its peak is known", r["peak"])
    r = c.run("true")
    equal(r["done"]["oom"], 0, "nothing counted in the next call")
    r = c.run("""perl -e '@x = map { "x" x (1 << 20) } 1..44; open F, ">full"; close F; sleep 300' &
        until [ -e full ]; do sleep 0.1; done""", timeout_ms=120000)
    r = c.run("for p in /proc/[0-9]*; do grep -qs map $p/cmdline && grep VmRSS $p/status; done")
    say(f"a background job near the limit of 64 MiB: {r['out'].tail.split()}")
    got = [c.run("head -c 20M /dev/zero > filler; rm filler; echo fine",
                 files=[("/work/f", b"x" * (3 * MIB))], timeout_ms=120000) for _ in range(5)]
    equal([(r["end"], r["out"].tail) for r in got], [(EXITED, b"fine\n")] * 5,
          "calls go on with memory at the limit")
    equal(docker("inspect", "--format={{.State.Running}}", c.id), "true", "the agent lives")
    c.remove()


def bomb():
    c = Container()
    c.run("sleep 300 & true")
    for name, code in [("of bash", ":(){ :|:& };:; sleep 60"),
                       ("of busy loops", "while :; do (while :; do :; done) & done 2>/dev/null")]:
        start = time.monotonic()
        r = c.run(code, timeout_ms=4000)
        took = time.monotonic() - start
        say(f"fork bomb {name}, 512 processes, 1 CPU: over {took - 4:.1f} s after its time")
        equal((r["end"], r["done"]["background"]), (TIMED_OUT, 0), f"a fork bomb {name}")
        ok(took < 4 + 20, "soon", took)
        r = c.run("set -- /proc/[0-9]*; for p; do cat $p/cmdline | tr '\\0' ' '; echo; done")
        ok(b"sleep 300" in r["out"].tail, "the earlier job lives", r)
    c.run("while :; do (while :; do :; done) & done 2>/dev/null & sleep 1", timeout_ms=60000)
    start = time.monotonic()
    r = c.run("echo fine", timeout_ms=60000)
    ok(r["end"] == NOT_STARTED and r["errno"] == 11 or r["out"].tail == b"fine\n",
       "with a bomb in the background: run, or not started and why", r)
    say(f"answered after {time.monotonic() - start:.1f} s: end {r['end']}, errno {r['errno']}")
    start = time.monotonic()
    docker("stop", c.id)
    ok(time.monotonic() - start < 8, f"and stopped in {time.monotonic() - start:.1f} s")
    c.attach()
    equal((c.started, c.run("echo fine")["out"].tail), (204, b"fine\n"), "then started again")
    c.remove()


def clients():
    c = Container()
    first = c.frames("echo begun > mark; sleep 5; echo out; exit 9")
    c.send(*first)
    equal(c.answer()[0], ACCEPTED, "a call runs")
    c.socket.close()
    d = c.another()
    second = d.frames("cat mark", previous=first.call)
    d.send(*second)
    kind, fields = d.answer()
    equal((kind, fields.get("reason"), fields.get("running")), (REFUSED, BUSY, first.call),
          "its client is gone; the next one is told what runs")
    got = d.collect(first.call)
    equal(got.steps[0]["exit"], 9, "and hears its end")
    d.send(*second)
    got = d.collect(second.call)
    equal((got.accepted["state"], got.accepted["exit"], got.steps[0]["out"].tail),
          (FINISHED, 9, b"begun\n"), "then runs, and is told the first one's fate")
    half = d.frames("echo half", files=[("/work/half", b"x" * 100000)])
    d.send(b"".join(half)[:50000])
    d.socket.close()
    e = c.another()
    third = e.frames("ls", previous=half.call)
    e.send(*third)
    got = e.collect(third.call)
    equal((got.accepted["state"], got.steps[0]["out"].tail), (STAGED, b"mark\n"),
          "a client that dies while sending has run and written nothing")
    # one that never reads: the engine then holds up whoever else attaches, until it is gone
    deaf = c.another()
    lost = deaf.frames("head -c 3000000 /dev/zero | tr '\\0' x", "touch second; exit 8",
                       head=1 << 20)
    deaf.send(*lost)
    ok(until(lambda: "A /work/second" in docker("diff", c.id).splitlines(), 40),
       "a client that never reads does not hold its call up for ever")
    deaf.socket.close()
    last = c.another()
    call = last.frames("echo fine", previous=lost.call)
    last.send(*call)
    got = last.collect(call.call)
    equal((got.steps[0]["out"].tail, got.accepted["state"], got.accepted["exit"]),
          (b"fine\n", FINISHED, 8), "when it has gone, the next one is told what came of it")
    last.remove()


def stopping():
    c = Container()
    c.run("echo kept > file; sleep 300 & true")
    start = time.monotonic()
    docker("stop", c.id)
    took = time.monotonic() - start
    ok(took < 5, f"docker stop: {took:.2f} s", took)
    equal(docker("inspect", "--format={{.State.ExitCode}}", c.id), "0", "exit status 0")
    c.attach()
    r = c.run("cat file")
    equal((c.started, r["out"].tail, r["out"].log), (204, b"kept\n", "/var/log/backtalk/1.out"),
          "started again: files are there")
    r = c.run("for p in 1 $PPID; do for fd in 0 1 3; do echo rubbish > /proc/$p/fd/$fd; done;"
              " cat /proc/$p/mem /proc/$p/environ; done 2>&1 |"
              " grep -vcE 'Permission denied|No such file'")
    equal(r["out"].tail, b"0\n", "programs cannot get at the agent's or an anchor's descriptors")
    r = c.run("kill -9 1; kill -STOP 1; kill -9 -1; echo alive")
    equal(r["out"].tail, b"alive\n", "what a program does to PID 1 does nothing")
    docker("kill", c.id)
    c.attach()
    r = c.run("cat /var/log/backtalk/1.out")
    equal((r["out"].tail, r["out"].log), (b"kept\n", "/var/log/backtalk/4.out"),
          "killed and started again: the logs are there, numbers go on")
    c.remove()


main(size, memory, bomb, clients, stopping)
