#!/usr/bin/env -S python3 -B
"""The protocol: damaged, lost, doubled and interleaved frames, refusals, fates."""

import os
import random
from agentlib import *


def still_works(agent, name):
    equal(agent.run("echo fine")["out"].tail, b"fine\n", name)


def refused(agent, made, reason, name):
    agent.send(*made)
    kind, fields = agent.answer()
    return equal((kind, fields.get("reason")), (REFUSED, reason), name) and fields


def broken():
    a = Agent()
    mark = a.work + "/ran"
    whole = a.frames(f"touch {mark}", files=[(a.work + "/file", b"x" * 100000)])
    for lost in range(1, len(whole) - 1):
        refused(a, whole[:lost] + whole[lost + 1:], BROKEN, f"frame {lost} is lost")
    refused(a, whole[1:], BROKEN, "BEGIN is lost")
    refused(a, [*whole[:2], whole[1], *whole[2:]], BROKEN, "a frame comes twice")
    swapped = [*whole]
    swapped[2], swapped[3] = swapped[3], swapped[2]
    refused(a, swapped, BROKEN, "two frames have changed places")
    for bit in random.Random(1).sample(range(len(whole[2]) * 8), 10):
        flipped = bytearray(whole[2])
        flipped[bit // 8] ^= 1 << bit % 8
        refused(a, [*whole[:2], bytes(flipped), *whole[3:]], BROKEN, f"bit {bit} is flipped")
    equal(os.listdir(a.work), [], "no half-sent call has written or run anything")
    a.send(*whole)
    equal(a.collect(whole.call).steps[0]["exit"], 0, "sent again whole, the same call runs")
    equal(sorted(os.listdir(a.work)), ["file", "ran"], "and wrote its file")
    made = a.frames(f"touch {mark}2")
    made[-1] = frame(RUN, made.call, len(made) - 1, struct.pack("<I", len(made)))
    refused(a, made, BROKEN, "RUN counts other frames than there were")


def resynchronisation():
    a = Agent()
    whole = a.frames("echo 1")
    big = frame(DATA, 77, 3, b"z" * 30000)
    for name, rubbish in [
            ("random bytes", random.Random(2).randbytes(5000)),
            ("a half header", big[:20]),
            ("a half frame", big[:2000]),
            ("all but the last byte of a frame", big[:-1]),
            ("magics without end", MAGIC * 3000),
            ("a header that promises 4 GiB", MAGIC + b"\x04\0\0\0\xff\xff\xff\xff" + b"\0" * 20),
            ("headers within headers", b"".join(big[:28] for _ in range(300)))]:
        made = a.frames("echo back")
        start = time.monotonic()
        a.send(rubbish, *made)
        got = a.collect(made.call)
        took = time.monotonic() - start - got.steps[0]["wall_us"] / 1e6
        ok(got.steps[0]["out"].tail == b"back\n" and took < 0.5,
           f"{name}, then a call: {took * 1000:.0f} ms", got.steps)
    for cut in 10, 28, 40, len(whole[0]) + 5:
        a.send(b"".join(whole)[:cut])
        made = a.frames("echo back", previous=whole.call)
        a.send(*made)
        got = a.collect(made.call)
        equal(got.steps[0]["out"].tail, b"back\n", f"a worker dies after {cut} bytes")
        equal(got.accepted["state"], STAGED if cut > len(whole[0]) else UNKNOWN,
              "what became of its call")


def slowly():
    a = Agent()
    made = a.frames("cat; echo end", input=b"slow\n")
    whole = b"".join(made)
    pauses = {30, len(made[0]) + 14, len(whole) - 3}
    for at in range(len(whole)):
        a.send(whole[at:at + 1])
        if at in pauses:
            time.sleep(0.25)
    got = a.collect(made.call)
    equal(got.steps[0]["out"].tail, b"slow\nend\n", "byte by byte, with pauses inside frames")


def interleaved():
    a = Agent()
    one, two = a.frames("echo 1"), a.frames("echo 2")
    for x, y in zip(one, two):
        a.send(x, y)
    kind, fields = a.answer()
    equal((kind, fields.get("reason")), (REFUSED, BROKEN), "of two mixed calls the older is gone")
    equal(a.collect(two.call).steps[0]["out"].tail, b"2\n", "the younger one runs")


def twice():
    a = Agent()
    made = a.frames(f"echo x >> {a.work}/runs; sleep 0.5; echo out")
    a.send(*made, *made)
    got = a.collect(made.call)
    equal(got.kinds.count(ACCEPTED), 2, "a call sent twice is answered twice")
    equal(got.accepted["again"], 1, "the second answer says so")
    equal(got.kinds.count(DONE), 1, "has one result")
    equal(open(a.work + "/runs").read(), "x\n", "and runs once")
    a.send(*made)
    kind, fields = a.answer()
    equal((kind, fields["again"], fields["state"], fields["exit"]), (ACCEPTED, 2, FINISHED, 0),
          "sent again after its end: how it ended")
    a.send(made[-1])
    equal(a.answer()[1]["again"], 2, "RUN alone is answered as well")
    equal(open(a.work + "/runs").read(), "x\n", "it still ran once")
    equal(open(fields["log"]).read(), "out\n", "the log of it")


def busy():
    a = Agent()
    slow = a.frames("sleep 1; echo slow")
    a.send(*slow)
    equal(a.answer()[0], ACCEPTED, "a call runs")
    other = a.frames("echo other", files=[(a.work + "/other", b"x")])
    fields = refused(a, other, BUSY, "another one is refused")
    equal(fields["running"], slow.call, "which one runs is said")
    ok(fields["age_ms"] < 1000, "and since when", fields)
    equal(a.frame(0.2), None, "one answer to one RUN")
    equal(a.collect(slow.call).steps[0]["out"].tail, b"slow\n", "the first is not disturbed")
    equal(os.listdir(a.work), [], "the other has done nothing")
    a.send(*other)
    equal(a.collect(other.call).steps[0]["out"].tail, b"other\n", "and runs when sent again")


def fates():
    a = Agent()
    first = a.frames("echo to the log; exit 7")
    a.send(*first)
    a.collect(first.call)

    def fate(previous):
        made = a.frames("true", previous=previous)
        a.send(*made)
        return a.collect(made.call).accepted
    got = fate(first.call)
    equal((got["again"], got["state"], got["exit"], got["signal"], got["timed_out"]),
          (0, FINISHED, 7, 0, 0), "a call that finished")
    equal(open(got["log"]).read(), "to the log\n", "its log")
    ok(0 < got["wall_us"] < 5_000_000, "its time", got)
    equal(fate(0)["state"], NOT_ASKED, "not asked")
    equal(fate(12345)["state"], UNKNOWN, "never heard of")
    timed = a.frames("sleep 10", timeout_ms=100)
    a.send(*timed)
    a.collect(timed.call)
    got = fate(timed.call)
    equal((got["state"], got["timed_out"]), (FINISHED, 1), "timed out")
    killed = a.frames("kill -9 $$")
    a.send(*killed)
    a.collect(killed.call)
    got = fate(killed.call)
    equal((got["state"], got["signal"]), (FINISHED, 9), "killed")
    missing = a.frames(["nosuch"])
    a.send(*missing)
    a.collect(missing.call)
    equal(fate(missing.call)["exit"], 127, "not found")
    unwritten = a.frames("true", files=[(a.work, b"")])
    a.send(*unwritten)
    a.collect(unwritten.call)
    equal(fate(unwritten.call)["exit"], -1, "its file could not be written")
    cancelled = a.frames("sleep 10")
    a.send(*cancelled)
    a.answer()
    a.send(frame(CANCEL, cancelled.call, 0))
    a.collect(cancelled.call)
    equal(fate(cancelled.call)["state"], FATE_CANCELLED, "cancelled")
    staged = a.frames("true")
    a.send(*staged[:-1], frame(CANCEL, staged.call, 0))
    equal(fate(staged.call)["state"], STAGED, "cancelled before it was whole")
    for _ in range(16):
        last = a.frames("true")
        a.send(*last)
        a.collect(last.call)
    equal((fate(first.call)["state"], fate(last.call)["state"]), (UNKNOWN, FINISHED),
          "16 calls are remembered")


def nonsense():
    a = Agent()

    def bad(name, *frames):
        made = Frames(a.new_call())
        made.begin()
        for kind, payload in frames:
            made.add(kind, payload)
        made.run()
        fields = refused(a, made, BAD, name)
        ok(fields and fields["text"], "in words", fields)

    def step(cwd="/", argv=("true",), env=(), timeout=1000, head=0, tail=0, has_input=0, more=b""):
        return STEP, struct.pack("<IIII", timeout, head, tail, has_input) + text(cwd) + \
            struct.pack("<I", len(argv)) + b"".join(map(text, argv)) + \
            struct.pack("<I", len(env)) + b"".join(map(text, env)) + more

    def file(path, size=0, mode=0o644):
        return FILE, struct.pack("<IQ", mode, size) + text(path)

    bad("an unknown frame", (42, b""))
    bad("an empty STEP", (STEP, b""))
    bad("a STEP with bytes behind it", step(more=b"x"))
    bad("a STEP that is cut off", (STEP, step()[1][:-1]))
    bad("no argument", step(argv=()))
    bad("NUL in an argument", step(argv=("a\0b",)))
    bad("a relative working directory", step(cwd="work"))
    bad("no working directory", step(cwd=""))
    bad("environment without =", step(env=("A",)))
    bad("environment without a name", step(env=("=1",)))
    bad("no time at all", step(timeout=0))
    bad("more than a day", step(timeout=24 * 3600 * 1000 + 1))
    bad("too much head", step(head=(1 << 20) + 1))
    bad("too much tail", step(tail=65537))
    bad("too many arguments", step(argv=[""] * 5000))
    bad("a count of 4 billion", (STEP, step()[1][:21] + b"\xff" * 4))
    bad("five steps", *[step()] * 5)
    bad("input without STDIN", step(has_input=1))
    bad("STDIN without a step", (STDIN, struct.pack("<Q", 0)))
    bad("STDIN twice", (STDIN, struct.pack("<Q", 0)), (STDIN, struct.pack("<Q", 0)))
    bad("STDIN for a step that wants none", (STDIN, struct.pack("<Q", 0)), step())
    bad("input of more than 64 MiB", (STDIN, struct.pack("<Q", (64 << 20) + 1)))
    bad("a relative path", file("x"))
    bad("an empty path", file(""))
    bad("NUL in a path", file("/a\0b"))
    bad("a path that is too long", file("/" + "x" * 4096))
    bad("five files", *[file("/tmp/nosuch/x")] * 5)
    bad("a file of more than 64 MiB", file("/x", (64 << 20) + 1))
    bad("a mode that is none", file("/x", mode=0o10000))
    bad("data without a file", (DATA, b"x"))
    bad("more data than announced", file("/tmp/x", 1), (DATA, b"xx"))
    bad("less data than announced", file("/tmp/x", 3), (DATA, b"xx"))
    bad("less data than announced before a step", file("/tmp/x", 3), (DATA, b"xx"), step())
    for name, begin in [("a watched path that is relative",
                         struct.pack("<IQI", 0, 0, 1) + text("x")),
                        ("33 watched paths", struct.pack("<IQI", 0, 0, 33) + text("/x") * 33),
                        ("4 billion watched paths", struct.pack("<IQI", 0, 0, 2**32 - 1)),
                        ("long watched paths", struct.pack("<IQI", 0, 0, 2) +
                         text("/" + "x" * 3000) * 2),
                        ("a cut BEGIN", b"\0\0\0\0")]:
        made = Frames(a.new_call())
        made.add(BEGIN, begin)
        made.run()
        refused(a, made, BAD, name)
    a.send(frame(BEGIN, 0, 0, struct.pack("<IQI", 0, 0, 0)), frame(RUN, 0, 1, struct.pack("<I", 1)),
           frame(ACCEPTED, 5, 0, b""), frame(DONE, 5, 0, b""), frame(CANCEL, 99, 0, b""))
    equal(a.frame(0.2), None, "call number 0, frames of an agent, a cancel for nobody: silence")
    still_works(a, "after all that it works")


def fuzz():
    a = Agent()
    rng = random.Random(3)
    calls = 0
    for _ in range(60):
        made = a.frames("true", files=[(a.work + "/f", rng.randbytes(rng.randrange(3000)))])
        whole = bytearray(b"".join(made))
        for _ in range(rng.randrange(4)):
            at = rng.randrange(len(whole))
            what = rng.randrange(3)
            if what == 0:
                whole[at] ^= 1 << rng.randrange(8)
            elif what == 1:
                del whole[at:at + rng.randrange(200)]
            else:
                whole[at:at] = rng.randbytes(rng.randrange(200))
        a.send(bytes(whole))
        while True:
            got = a.frame(0.02)
            calls += bool(got and got[0] == DONE)
            if not got:
                break
    while a.frame(0.5):
        pass
    ok(calls > 0, "some of 60 damaged calls were still whole", calls)
    still_works(a, "after 60 damaged calls it works")


def nobody_reads():
    a = Agent()
    made = a.frames("head -c 3000000 /dev/zero | tr '\\0' x; echo end; exit 0",
                    f"touch {a.work}/second; exit 5", head=1 << 20, tail=65536)
    start = time.monotonic()
    a.send(*made)
    ok(until(lambda: os.path.exists(a.work + "/second"), 20),
       "a report that nobody reads is given up, and the call goes on")
    ok(4 < time.monotonic() - start, "not too soon", time.monotonic() - start)
    ok(until(lambda: not os.path.exists(f"/proc/{a.pid()}/task/{a.pid()}/children") or
             not open(f"/proc/{a.pid()}/task/{a.pid()}/children").read()), "it ends")
    other = a.frames("echo 2", previous=made.call)
    start = time.monotonic()
    a.send(*other)
    got = a.collect(other.call)
    ok(time.monotonic() - start < 3, "the next call is answered at once")
    equal((got.accepted["state"], got.accepted["exit"]), (FINISHED, 5),
          "and told what became of it")
    equal(got.steps[0]["out"].tail, b"2\n", "and runs")
    ok(rests(a), "the agent rests")


def reader_gone():
    a = Agent()
    a.stdout.close()
    made = a.frames(f"echo lost", f"touch {a.work}/second")
    for piece in made:
        os.write(a.stdin.fileno(), piece)
    ok(until(lambda: os.path.exists(a.work + "/second")), "with nobody to tell, the call runs")
    ok(rests(a), "the agent rests")
    equal(a.process.poll(), None, "and lives")


main(broken, resynchronisation, slowly, interleaved, twice, busy, fates, nonsense, fuzz,
     nobody_reads, reader_gone)
