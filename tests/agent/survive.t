#!/usr/bin/env -S python3 -B
"""PID 1 itself: SIGTERM, zombies, a closed stdin, and what programs do to it."""

import os
import signal
from agentlib import *


def time_to_go(prepare):
    """Milliseconds from SIGTERM to the end; the least of three agents, since a busy machine may
    have other things to do."""
    times = []
    for _ in range(3):
        a = Agent()
        a.run("true")
        prepare(a)
        pid = a.pid()
        start = time.monotonic()
        os.kill(pid, signal.SIGTERM)
        code = a.process.wait(10)
        times.append((time.monotonic() - start) * 1000)
        if code != 0:
            ok(False, "exit status 0", code)
    return min(times)


def in_a_call(agent):
    agent.send(*agent.frames("echo begun; sleep 60"))
    agent.answer()


def sigterm():
    for name, prepare in [
            ("idle", lambda a: None),
            ("with a background job", lambda a: a.run("sleep 60 & true")),
            ("with one that ignores SIGTERM",
             lambda a: a.run("(trap '' TERM; while :; do sleep 1; done) & true")),
            ("with one that prints without end", lambda a: a.run("yes & true")),
            ("in the middle of a call", in_a_call)]:
        took = time_to_go(prepare)
        ok(took < 100, f"SIGTERM, {name}: gone in {took:.1f} ms")
    a = Agent()
    a.run(f"(trap 'echo saved > {a.work}/state; exit' TERM; touch {a.work}/ready; "
          "while :; do sleep 0.01; done) & true")
    ok(until(lambda: os.path.exists(a.work + "/ready")), "a server that saves its state when told")
    os.kill(a.pid(), signal.SIGTERM)
    a.process.wait(10)
    equal(os.path.exists(a.work + "/state"), True, "is told, and has time to")
    a = Agent()
    r = a.run("kill -9 1; kill -STOP 1; kill -HUP 1; kill -INT 1; kill -QUIT 1; kill -USR1 1; "
              "kill -PIPE 1; kill -CHLD 1; echo sent")
    equal(r["out"].tail, b"sent\n", "no other signal does anything")


def states(agent):
    inside = os.readlink(f"/proc/{agent.pid()}/ns/pid")
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/ns/pid") == inside:
                found.append(open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0])
        except OSError:
            pass
    return found


def zombies():
    a = Agent()
    a.run("for i in $(seq 100); do (setsid true &); done")
    ok(until(lambda: len(states(a)) == 1), "100 orphans leave no zombie and no anchor", states(a))
    a.run("kill -9 $PPID; for i in $(seq 50); do (setsid sleep 0.05 &); done")
    ok(until(lambda: len(states(a)) == 1), "nor do 50 that PID 1 itself adopted", states(a))


def closed_stdin():
    a = Agent()
    made = a.frames("sleep 0.3; echo out")
    a.send(*made)
    a.stdin.close()
    got = a.collect(made.call)
    equal(got.steps[0]["out"].tail, b"out\n", "stdin is closed: the call goes on")
    ok(rests(a), "the agent rests")
    equal(a.process.poll(), None, "and lives")
    os.kill(a.pid(), signal.SIGTERM)
    equal(a.process.wait(5), 0, "until it is told to go")


def idle():
    a = Agent()
    a.run("true")
    ok(rests(a), "it uses no time when idle")
    with open(f"/proc/{a.pid()}/status") as f:
        switches = f.read()
    time.sleep(1.5)
    with open(f"/proc/{a.pid()}/status") as f:
        again = f.read()

    def count(text):
        return next(int(line.split()[1]) for line in text.splitlines()
                    if line.startswith("voluntary_ctxt"))
    equal(count(again), count(switches), "it does not even wake up")
    ok(a.rss_kib() < 1024, f"resident: {a.rss_kib()} KiB", a.rss_kib())
    ok(os.path.getsize(binary()) < 1 << 20, f"on disk: {os.path.getsize(binary()) // 1024} KiB")


def abuse():
    for name, command in [
            ("exec </dev/null", "exec </dev/null; cat; echo x"),
            ("exec >&-", "exec >&- 2>&-"),
            ("pkill bash", "pkill bash"),
            ("pkill -9 -f .", "pkill -9 -f ."),
            ("kill 0", "kill 0"),
            ("killall5", "kill -9 -1"),
            ("closing every descriptor",
             "for fd in $(ls /proc/self/fd); do eval \"exec $fd>&-\"; done"),
            ("removing /dev/null", "mount -t tmpfs tmpfs /dev"),
            ("hiding /proc", "mount -t tmpfs tmpfs /proc"),
            ("rubbish into the agent's stdin", "head -c 100000 /dev/urandom > /proc/1/fd/0"),
            ("writing to the agent's descriptors",
             "for fd in /proc/1/fd/*; do timeout 1 dd if=/dev/urandom of=$fd bs=4096 count=1 "
             "oflag=nonblock; done 2>/dev/null"),
            ("lying to the agent", "timeout 2 bash -c 'for fd in /proc/$PPID/fd/*; do "
             "head -c 4800 /dev/urandom > $fd; done'")]:
        a = Agent()
        made = a.frames(command, timeout_ms=10000)
        a.send(*made)
        # what it writes into the agent's own stdout may damage the report of its call
        ok(until(lambda: attempt(a), 30), f"after {name} the next call works")


def attempt(agent):
    """A call as a worker makes it: to be sent again when it was not heard, or when the one before
    still runs."""
    made = agent.frames("echo fine")
    agent.send(*made)
    end = time.monotonic() + 3
    while time.monotonic() < end:
        got = agent.frame(0.5)
        if got and got[1] == made.call:
            return got[0] == ACCEPTED and \
                agent.collect(made.call).steps[0]["out"].tail == b"fine\n"
    return False


def descriptors():
    a = Agent(before="exec 0<&0 2>&-")
    equal(a.run("echo fine >&2")["err"].tail, b"fine\n", "started without stderr")
    a = Agent(before="ulimit -n 40")
    for _ in range(3):
        r = a.run("for i in 1; do sleep 30 & done; echo x")
    ends = [a.run("sleep 30 & echo x") for _ in range(15)]
    refused = [r for r in ends if r["end"] == NOT_STARTED]
    ok(refused, "no descriptors left: a step is not started")
    equal({r["errno"] for r in refused}, {24}, "and says why")


def as_child():
    """Not PID 1: as a subreaper below something else."""
    a = Agent(before="true; \"$0\"; exit $?; true")
    r = a.run("(setsid sleep 61 &) ; echo $PPID; sleep 30", timeout_ms=400)
    equal((r["end"], r["done"]["background"]), (TIMED_OUT, 0), "works as an ordinary process")
    a.run("setsid sleep 62 & true")
    inner = int(open(f"/proc/{a.pid()}/task/{a.pid()}/children").read().split()[0])
    os.kill(inner, signal.SIGTERM)
    equal(a.process.wait(10), 0, "SIGTERM ends it")


def version():
    done = subprocess.run([binary(), "--version"], capture_output=True, timeout=5)
    ok(done.returncode == 0 and done.stdout.startswith(b"backtalk-agent "), "--version", done)
    done = subprocess.run([binary(), "--help"], capture_output=True, timeout=5)
    ok(done.returncode == 0 and b"backtalk-agent" in done.stdout, "--help", done)
    done = subprocess.run([binary(), "--nonsense"], capture_output=True, timeout=5)
    equal(done.returncode, 2, "anything else is refused")


main(sigterm, zombies, closed_stdin, idle, abuse, descriptors, as_child, version)
