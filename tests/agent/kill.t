#!/usr/bin/env -S python3 -B
"""Time limits and cancelling: everything a call started is killed, nothing else."""

import os
from agentlib import *

DAEMON = """
import os, sys, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
os.environ.clear()
os.closerange(0, 10)
open(sys.argv[1], 'w').write(str(os.getpid()))
os.execve('/bin/sleep', [sys.argv[2], '60'], {})
"""


def alive(agent, name):
    """Whether a process of that name lives in the agent's namespace."""
    inside = os.readlink(f"/proc/{agent.pid()}/ns/pid")
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/ns/pid") != inside:
                continue
            line = open(f"/proc/{pid}/cmdline").read().split("\0")
            state = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if line[0] == name and state != "Z":
            return True
    return False


def daemon(agent, name, then=""):
    return f"python3 -c \"$DAEMON\" {agent.work}/{name}.pid {name}; {then}"


def timeouts():
    a = Agent(DAEMON=DAEMON)
    r = a.run(daemon(a, "earlier"))
    ok(until(lambda: alive(a, "earlier")), "an earlier call left a daemon")
    start = time.monotonic()
    r = a.run("echo begun; " + daemon(a, "later") + f"""
        until [ -s later.pid ]; do sleep 0.01; done
        sleep 30 & (setsid sleep 30 &) ; (trap '' TERM HUP INT; setsid nohup sleep 30) &
        echo waiting; wait""", timeout_ms=3000)
    took = time.monotonic() - start
    equal((r["end"], r["exit"]), (TIMED_OUT, 0), "timed out")
    ok(3 <= took < 8, "in time", took)
    ok(2_900_000 < r["wall_us"] < 6_000_000, "its own time", r["wall_us"])
    equal(r["out"].tail, b"begun\nwaiting\n", "what it printed")
    equal(r["done"]["background"], 0, "nothing of it is left")
    ok(not alive(a, "later"), "its double-forked daemon without environment is dead")
    ok(not alive(a, "sleep"), "and everything else it started")
    ok(alive(a, "earlier"), "the earlier daemon lives")
    got = a.call("sleep 30 & true", "sleep 30", "true", timeout_ms=500)
    equal([s["end"] for s in got.steps], [EXITED, TIMED_OUT, NOT_RUN], "steps after it do not run")
    ok(not alive(a, "sleep"), "what earlier steps of the call left is killed too")
    r = a.run("kill -STOP $PPID; sleep 30", timeout_ms=300)
    equal((r["end"], r["done"]["background"]), (TIMED_OUT, 0), "with the anchor stopped")
    r = a.run("trap '' TERM; while :; do :; done", timeout_ms=300)
    equal(r["end"], TIMED_OUT, "a busy loop")
    r = a.run("true", timeout_ms=1)
    ok(r["end"] in (TIMED_OUT, EXITED), "one millisecond", r)
    equal(r["done"]["background"], 0, "leaves nothing")
    ok(alive(a, "earlier"), "the earlier daemon still lives")


def cancel():
    a = Agent(DAEMON=DAEMON)
    a.run(daemon(a, "earlier"))
    ok(until(lambda: alive(a, "earlier")), "an earlier call left a daemon")
    made = a.frames("echo begun; " + daemon(a, "later", "sleep 30"), "true")
    a.send(*made)
    equal(a.answer()[0], ACCEPTED, "a call runs")
    ok(until(lambda: alive(a, "later")), "and has a daemon")
    start = time.monotonic()
    a.send(frame(CANCEL, made.call + 1, 0), *[frame(CANCEL, made.call, 0)] * 2)
    got = a.collect(made.call)
    took = time.monotonic() - start
    say(f"cancelled in {took * 1000:.0f} ms")
    ok(took < 2, "cancelled at once", took)
    equal([s["end"] for s in got.steps], [CANCELLED, NOT_RUN], "steps")
    equal(got.steps[0]["out"].tail, b"begun\n", "what it printed")
    equal((got.done["cancelled"], got.done["background"]), (1, 0), "DONE says so")
    ok(not alive(a, "later") and alive(a, "earlier"), "its daemon is dead, the earlier one lives")
    a.send(frame(CANCEL, made.call, 0))
    equal(a.run("echo fine")["out"].tail, b"fine\n", "a cancel after the end does nothing")
    # while a finished step is being reported, what it left running is killed as well
    made = a.frames("sleep 30 & head -c 1M /dev/zero", "echo second", head=1 << 20)
    a.send(*made)
    equal(a.answer()[0], ACCEPTED, "a call with a large report")
    ok(until(lambda: select.select([a.stdout], [], [], 0)[0]), "which has begun")
    time.sleep(0.2)
    a.send(frame(CANCEL, made.call, 0))
    time.sleep(0.2)
    got = a.collect(made.call)
    equal([s["end"] for s in got.steps], [EXITED, NOT_RUN], "cancelled between steps")
    equal((got.done["cancelled"], got.done["background"]), (1, 0), "and cleaned up")
    ok(not alive(a, "sleep"), "really")


def lost_anchor():
    a = Agent(DAEMON=DAEMON)
    a.run(daemon(a, "earlier"))
    ok(until(lambda: alive(a, "earlier")), "an earlier call left a daemon")
    r = a.run("kill -9 $PPID; echo alive; exit 3")
    equal((r["end"], r["exit"], r["out"].tail), (EXITED, 3, b"alive\n"),
          "a program that kills its anchor")
    r = a.run("kill -9 $PPID; sleep 0.1; kill -9 $$")
    equal((r["end"], r["signal"]), (SIGNALED, 9), "and then itself")
    r = a.run("(kill -9 $PPID) & kill -9 $PPID; wait; " + daemon(a, "later") +
              "(setsid sleep 30 &); sleep 30", timeout_ms=1500)
    equal(r["end"], TIMED_OUT, "a program without anchor that runs out of time")
    ok(until(lambda: os.path.exists(a.work + "/later.pid")) and not alive(a, "later"),
       "its daemon is dead all the same")
    ok(not alive(a, "sleep"), "and the rest")
    ok(alive(a, "earlier"), "the earlier daemon lives")
    r = a.run("kill -9 $PPID; sleep 0.05; sleep 30 & echo x")
    ok(any("sleep 30" == c for _, c in r["done"]["listed"]), "what it leaves running is listed",
       r["done"])
    a.run("pkill sleep")
    r = a.run("kill -KILL -1; echo survived; sleep 0.2; exit 4")
    equal((r["end"], r["exit"], r["out"].tail), (EXITED, 4, b"survived\n"), "kill -9 -1 from bash")
    r = a.run(["python3", "-c", "import os, time\n"
               "if os.fork() == 0: time.sleep(.1); os.kill(-1, 9)\ntime.sleep(30)"])
    equal((r["end"], r["signal"]), (SIGNALED, 9), "kill -9 -1 from a child")
    ok(r["wall_us"] < 5_000_000, "noticed at once", r["wall_us"])
    equal(a.run("echo fine")["out"].tail, b"fine\n", "the agent lives")


def bombs():
    # As a user of its own with a limit of its own: the machine under test must survive as well.
    a = Agent(DAEMON=DAEMON)
    os.chmod(a.dir, 0o755)
    os.chmod(os.path.dirname(a.dir), 0o755)
    a.run(daemon(a, "earlier"))
    ok(until(lambda: alive(a, "earlier")), "an earlier call left a daemon")

    def bomb(code, limit=200, **how):
        uid = 3_000_000 + os.getpid()
        return a.run(["setpriv", f"--reuid={uid}", "--clear-groups", "bash", "-c",
                      f"ulimit -u {limit}; {code}"], **how)
    for name, code in [
            ("of bash", "f() { f | f & }; f; sleep 30"),
            ("that never waits", "while :; do (while :; do :; done) & done 2>/dev/null"),
            ("of daemons", "b() { setsid bash -c \"$(declare -f b); b & b\" & }; b; b; sleep 30"),
            ("that replaces its dead", "python3 -c '\nimport os\nwhile True:\n  try: os.fork()\n"
             "  except OSError: pass\n'")]:
        start = time.monotonic()
        r = bomb(code, timeout_ms=2000)
        took = time.monotonic() - start
        say(f"fork bomb {name}: over {took - 2:.2f} s after its time")
        equal(r["end"], TIMED_OUT, f"a fork bomb {name}")
        equal(r["done"]["background"], 0, "nothing of it is left")
        ok(took < 14, "soon", took)
        ok(alive(a, "earlier"), "the earlier daemon lives")
        equal(a.run("echo fine")["out"].tail, b"fine\n", "the agent works")
    bomb("f() { f | f & }; f; sleep 0.5")
    ok(a.run("echo fine", timeout_ms=60000)["out"].tail == b"fine\n", "a bomb in the background: "
       "the next call runs")
    a.run("kill -9 -1")


main(timeouts, cancel, lost_anchor, bombs)
