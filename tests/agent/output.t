#!/usr/bin/env -S python3 -B
"""What programs print: head and tail, counts, log files, background output, fixed memory."""

import os
import threading
from agentlib import *


def content(n):
    """n bytes in which every place can be told from every other."""
    return b"".join(b"%07d\n" % i for i in range((n + 7) // 8))[:n]


def head_and_tail():
    a = Agent()
    for size, head, tail in [(0, 100, 100), (1, 100, 100), (100, 100, 0), (100, 0, 100),
                             (199, 100, 100), (200, 100, 100), (201, 100, 100), (5000, 100, 100),
                             (5000, 0, 0), (70000, 65536, 0), (70000, 65537, 5),
                             (200000, 65536, 65536), (300000, 1 << 20, 65536),
                             (1 << 20, 1 << 20, 65536), ((1 << 20) + 9, 1 << 20, 65536),
                             (3 << 20, 1 << 20, 65536), (3 << 20, 0, 65536), (3 << 20, 1, 1)]:
        whole = content(size)
        with open(a.dir + "/content", "wb") as f:
            f.write(whole)
        r = a.run(f"cat {a.dir}/content; cat {a.dir}/content >&2", head=head, tail=tail)
        for name in "out", "err":
            s = r[name]
            wanted_head = whole[:head]
            wanted_tail = whole[len(wanted_head):][-tail:] if tail else b""
            ok((s.seen, s.head, s.tail) == (size, wanted_head, wanted_tail),
               f"std{name}: {size} bytes, of which {head} at the head, {tail} at the tail",
               (s.seen, len(s.head), len(s.tail)))
            if size:
                equal(open(s.log, "rb").read() == whole, True, "all of it in the log")
            else:
                equal(s.log, "", "nothing printed: no log")


def logs():
    a = Agent()
    numbers = []
    for i in range(22):
        r = a.run(f"echo {i}; echo e{i} >&2")
        numbers.append(int(os.path.basename(r["out"].log)[:-4]))
        if r["err"].log != r["out"].log[:-3] + "err":
            ok(False, "stderr's log has the same number")
    equal([n - numbers[0] for n in numbers], list(range(22)), "logs are numbered")
    wanted = [f"{n}.{end}" for n in numbers[-20:] for end in ("err", "out")]
    equal(sorted(os.listdir(a.logs)), sorted(wanted), "the newest 20 steps are kept")
    r = a.run(f"rm -r {a.logs}; echo x")
    equal(open(r["out"].log).read(), "x\n", "a log directory that was removed is made again")
    next_number = int(os.path.basename(r["out"].log)[:-4]) + 1
    os.mkfifo(f"{a.logs}/{next_number}.out")
    os.symlink("/dev/null", f"{a.logs}/{next_number}.err")
    r = a.run("echo x; echo y >&2")
    equal((open(r["out"].log).read(), open(r["err"].log).read()), ("x\n", "y\n"),
          "what lies in the place of a log is not used")
    r = a.run(f"truncate -s 0 {a.logs}/*; head -c 100000 /dev/zero; sleep 0.1;"
              f"truncate -s 10 {a.logs}/*.out", head=90000)
    equal((r["out"].seen, len(r["out"].head)), (100000, 90000),
          "a log that the program cuts short is no trouble")


def restart():
    first = Agent()
    for i in range(3):
        r = first.run("echo x")
    first.close()
    for n in range(1, 30):
        open(f"{first.logs}/{n}.err", "w").close()
    open(first.logs + "/other", "w").close()
    second = Agent.__new__(Agent)
    second.dir, second.work, second.logs = first.dir, first.work, first.logs
    second.start([binary()], {})
    r = second.run("echo y")
    equal(os.path.basename(r["out"].log), "30.out", "numbers go on after a restart")
    equal(sorted(os.listdir(first.logs)),
          sorted([f"{n}.err" for n in range(11, 30)] + ["30.out", "other"]), "20 are kept")


def too_much():
    a = Agent()
    r = a.run("head -c 17M /dev/zero")
    equal((r["out"].seen, r["out"].log), (17 << 20, ""), "17 MiB: more than a log may hold")
    r = a.run("head -c 16M /dev/zero")
    equal(os.path.getsize(r["out"].log), 16 << 20, "16 MiB: all of it")
    got = a.call("head -c 9M /dev/zero", "head -c 7M /dev/zero >&2; echo more")
    equal([bool(got.steps[0]["out"].log), bool(got.steps[1]["err"].log), got.steps[1]["out"].log],
          [True, True, ""], "16 MiB for all steps of a call")
    r = a.run("head -c 17M /dev/zero | tr '\\0' x", head=1 << 20)
    equal(r["out"].head, b"x" * (1 << 20), "the head is there all the same")


def endless():
    a = Agent()
    a.run("true")
    before = a.rss_kib()
    seen, over = [before], threading.Event()

    def sample():
        while not over.wait(0.02):
            seen.append(a.rss_kib())
    sampler = threading.Thread(target=sample)
    sampler.start()
    start = time.monotonic()
    r = a.run("head -c 1000000000 /dev/zero; echo end", timeout_ms=120000)
    took, peak = time.monotonic() - start, max(seen)
    over.set()
    sampler.join()
    equal((r["out"].seen, r["out"].tail[-5:]), (1000000004, b"\0end\n"), "10^9 bytes, all counted")
    say(f"10^9 bytes in {took:.1f} s; resident {before} KiB before, at most {peak} KiB meanwhile, "
        f"{a.rss_kib()} KiB after")
    ok(peak < before + 400, "10^9 bytes of output in fixed memory", (before, peak))
    ok(a.rss_kib() < 1024, "less than 1 MiB when idle", a.rss_kib())
    r = a.run("head -c 100000000 /dev/zero; echo end", tail=4)
    equal((r["out"].seen, r["out"].tail), (100000004, b"end\n"), "the very last of it")


def large_report():
    a = Agent()
    a.run("head -c 2M /dev/urandom", head=1 << 20, tail=65536, input=b"x" * 100000)
    ok(until(lambda: a.rss_kib() < 1024), "memory of a large report is given back", a.rss_kib())


def background():
    a = Agent()
    r = a.run("(sleep 0.2; for i in $(seq 20000); do echo line $i; done; echo $? > status;"
              " sleep 30) & echo started")
    log = r["out"].log
    equal(r["out"].tail, b"started\n", "a background job is started")
    ok(until(lambda: os.path.exists(a.work + "/status"), 20), "it prints on after the call")
    equal(open(a.work + "/status").read(), "0\n", "without an error")
    ok(until(lambda: open(log).read().endswith("line 20000\n")), "all goes to the call's log")
    equal(open(log).read().count("\n"), 20001, "all of it")
    r = a.run(["python3", "-c", """
import os, sys, time
if os.fork() == 0:
    total = 0
    while total < 40 << 20:
        total += os.write(1, b'x' * 65536)
    open('done', 'w').write(str(total))
"""])
    ok(until(lambda: os.path.exists(a.work + "/done") and open(a.work + "/done").read(), 60),
       "a background job that prints more than its log holds is drained all the same")
    ok(os.path.getsize(f"{a.logs}/{max(int(f[:-4]) for f in os.listdir(a.logs))}.out") <= 16 << 20,
       "its log stays within 16 MiB")
    a.run("pkill sleep")


def background_rests():
    a = Agent()
    a.run("yes > /dev/stdout & echo")
    time.sleep(1)
    used = cpu_ticks(a.pid())
    time.sleep(1)
    ok(cpu_ticks(a.pid()) - used < 40, "output without end in the background costs little",
       cpu_ticks(a.pid()) - used)
    start = time.monotonic()
    equal(a.run("echo fine; pkill yes")["out"].tail, b"fine\n", "and holds no call up")


def unlinked_log():
    a = Agent()
    r = a.run("(sleep 3; echo late) & echo x")
    for _ in range(20):
        a.run("true")
    listed = os.listdir(f"/proc/{a.pid()}/fd")
    held = [os.readlink(f"/proc/{a.pid()}/fd/{fd}") for fd in listed]
    equal([h for h in held if "deleted" in h], [], "a log that is no longer kept is not held open")
    equal(os.path.exists(r["out"].log), False, "it is gone")


def many_taps():
    a = Agent()
    r = a.run("ls /proc/1/fd | wc -l")
    before = int(r["out"].tail)
    for _ in range(30):
        a.run("sleep 60 & sleep 60 >/dev/null &")
    r = a.run("ls /proc/1/fd | wc -l")
    ok(before < int(r["out"].tail) < before + 70, "30 calls with something in the background",
       r["out"].tail)
    a.run("pkill sleep")
    ok(until(lambda: int(a.run("ls /proc/1/fd | wc -l")["out"].tail) == before),
       "no descriptor is left when they have ended")


main(head_and_tail, logs, restart, too_much, endless, large_report, background, background_rests,
     unlinked_log, many_taps)
