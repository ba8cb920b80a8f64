#!/usr/bin/env -S python3 -B
"""Steps: what is run, how it ends, what is reported of it."""

import os
import time
from agentlib import *


def plain():
    a = Agent()
    r = a.run("echo hello; echo oops >&2; exit 3")
    equal((r["end"], r["exit"], r["signal"]), (EXITED, 3, 0), "exit status")
    equal((r["out"].tail, r["err"].tail), (b"hello\n", b"oops\n"), "both streams")
    equal((r["out"].seen, r["err"].seen), (6, 5), "bytes seen")
    ok(0 < r["wall_us"] < 2_000_000, "wall time", r["wall_us"])
    ok(1 << 20 < r["peak"] < 100 << 20, "peak memory", r["peak"])
    equal(open(r["out"].log, "rb").read(), b"hello\n", "the whole output in a log file")
    equal(r["done"], dict(oom=0, changed=0, cancelled=0, errno=0, path="", background=0,
                          listed=[]), "nothing else happened")
    equal(r["got"].kinds, [ACCEPTED, STEP_END, OUT, OUT, DONE], "frames in their order")


def peak():
    a = Agent()
    r = a.run(["python3", "-c", "x = b'x' * (200 << 20)"])
    ok(200 << 20 < r["peak"] < 260 << 20, "peak memory of a large program", r["peak"])


def ends():
    a = Agent()
    r = a.run("kill -SEGV $$")
    equal((r["end"], r["signal"]), (SIGNALED, 11), "killed by a signal")
    r = a.run(["/no/such/program"])
    equal((r["end"], r["errno"]), (NOT_STARTED, 2), "a program that does not exist")
    r = a.run(["nosuchprogram"])
    equal((r["end"], r["errno"]), (NOT_STARTED, 2), "a program that is not in PATH")
    r = a.run([a.work])
    equal((r["end"], r["errno"]), (NOT_STARTED, 13), "a directory is no program")
    r = a.run("true", cwd="/no/such/directory")
    equal((r["end"], r["errno"]), (NOT_STARTED, 2), "a working directory that does not exist")
    r = a.run("cd /; rmdir " + a.work)
    r = a.run("pwd")
    equal(r["out"].tail, a.work.encode() + b"\n", "the work directory is made again")


def sequence():
    a = Agent()
    got = a.call("echo 1", "echo 2; exit 4", "echo 3", "echo 4")
    equal([s["end"] for s in got.steps], [EXITED, EXITED, NOT_RUN, NOT_RUN],
          "steps run until one fails")
    equal([s["out"].tail for s in got.steps], [b"1\n", b"2\n", b"", b""], "what each printed")
    equal([s["index"] for s in got.steps], [0, 1, 2, 3], "all are reported")
    got = a.call(["nosuchprogram"], "echo 2")
    equal([s["end"] for s in got.steps], [NOT_STARTED, NOT_RUN], "a step that cannot be started")
    got = a.call(*["true"] * 4)
    equal([s["exit"] for s in got.steps], [0] * 4, "four steps")
    got = a.call()
    equal((got.steps, got.done["changed"]), ([], 0), "no step at all")


def environment():
    a = Agent()
    r = a.run('echo "$A|$B|${C-unset}"', env=["A=1 2", "B=", "A=3"])
    equal(r["out"].tail, b"3||unset\n", "environment of the step")
    r = a.run('echo "$A|$PATH"')
    equal(r["out"].tail, b"|" + os.environ["PATH"].encode() + b"\n", "and not of the next one")
    r = a.run(["nosuch"], env=["PATH=/nowhere"])
    equal(r["end"], NOT_STARTED, "PATH of the step")
    r = a.run(["printf", "%s|", "a b", "", "\u00e9", "$x"])
    equal(r["out"].tail, "a b||\u00e9|$x|".encode(), "arguments as they are")
    r = a.run(["printf", "%s", "x" * 32000], tail=40000)
    equal(r["out"].tail, b"x" * 32000, "a long argument")
    r = a.run(["bash", "-c", 'echo $#', "x"] + ["y"] * 3000)
    equal(r["out"].tail, b"3000\n", "many arguments")
    r = a.run("umask; ulimit -c; ps -o sid=,pid=,tty= -p $$ | tr -d '\\n'")
    umask, core, ids = r["out"].tail.decode().splitlines()
    equal((umask, core), ("0022", "0"), "umask, no core files")
    sid, pid, tty = ids.split()
    equal((sid == pid, tty), (True, "?"), "a session of its own without a terminal")
    r = a.run(["sh", "-c", "cat /proc/self/status"])
    masks = dict(line.split(":\t") for line in r["out"].tail.decode().splitlines()
                 if line.startswith("Sig"))
    equal([int(masks[m], 16) for m in ("SigBlk", "SigIgn")], [0, 0], "no signal blocked or ignored")
    r = a.run("ls -l /proc/self/fd | sed 1d | awk '{print $9}' | tr '\\n' ' '")
    equal(r["out"].tail, b"0 1 2 3 ", "no descriptor of the agent (3 is ls's own)")
    r = a.run("cat /proc/self/oom_score_adj")
    equal(r["out"].tail, b"300\n", "goes before the agent when memory runs out")
    r = a.run("pwd", cwd="/usr")
    equal(r["out"].tail, b"/usr\n", "working directory")


def stdin():
    a = Agent()
    r = a.run("cat; readlink /proc/self/fd/0")
    equal(r["out"].tail, b"/dev/null\n", "stdin is /dev/null")
    equal((r["input"], r["input_read"]), (0, 0), "no input given")
    r = a.run("cat", input=b"a\0b\n")
    equal((r["out"].tail, r["input"], r["input_read"]), (b"a\0b\n", 4, 4), "input given and read")
    r = a.run("read x; echo $x", input=b"one\ntwo\nthree\n")
    equal((r["out"].tail, r["input"], r["input_read"]), (b"one\n", 14, 4), "one line of it read")
    r = a.run("true", input=b"one\n")
    equal((r["input"], r["input_read"]), (4, 0), "none of it read")
    r = a.run("cat; test -e /dev/stdin && echo there", input=b"")
    equal((r["out"].tail, r["input_read"]), (b"there\n", 0), "empty input")
    big = os.urandom(5 << 20)
    r = a.run("md5sum", input=big)
    import hashlib
    equal(r["out"].tail.split()[0].decode(), hashlib.md5(big).hexdigest(), "5 MiB of input")
    equal(r["input_read"], len(big), "all read")
    equal(os.listdir(a.logs) and [f for f in os.listdir(a.logs) if f.startswith(".")], [],
          "nothing left of it")
    r = a.run("echo x >&0; echo $?", input=b"abc")
    equal(r["out"].tail, b"1\n", "stdin cannot be written to")
    got = a.call(dict(argv="cat", input=b"1"), "cat", dict(argv="cat", input=b"3"))
    equal([s["out"].tail for s in got.steps], [b"1", b"", b"3"], "input belongs to its step")


def ends_with_main():
    a = Agent()
    start = time.monotonic()
    r = a.run("(sleep 30; echo late) & echo now")
    ok(time.monotonic() - start < 1, "a background child does not hold the call up",
       time.monotonic() - start)
    equal(r["out"].tail, b"now\n", "what was printed until then")
    equal(r["done"]["background"], 2, "the subshell and its sleep still run")
    ok(any("sleep 30" == c for _, c in r["done"]["listed"]), "listed with their command lines",
       r["done"]["listed"])
    for _ in range(20):
        r = a.run("sleep 888 &")
        ok([c for _, c in r["done"]["listed"]] == ["sleep 888"], "what a fork has become",
           r["done"]["listed"])
        a.run("pkill -9 sleep")
    r = a.run("(while :; do sleep 777; done) &")
    ok(any("sleep 777" in c for _, c in r["done"]["listed"]), "a subshell", r["done"]["listed"])
    a.run("pkill -9 bash; pkill -9 sleep")
    r = a.run("exec > >(sed s/a/b/); echo aaa")
    equal(r["out"].tail, b"baa\n", "a filter's last output is waited for, a little")
    r = a.run("head -c 60000 /dev/zero; (sleep 20; head -c 60000 /dev/zero)& exit 0", tail=65536)
    equal(r["out"].seen, 60000, "what was in the pipe at the end")
    a.run("pkill -9 sleep")
    r = a.run("for i in $(seq 20); do setsid sleep 20 & done; sleep 0.05")
    equal((r["done"]["background"], len(r["done"]["listed"])), (20, 8), "of many, 8 are listed")
    r = a.run("true")
    equal(r["done"]["background"], 0, "those of earlier calls are not")
    a.run("pkill -9 sleep")
    r = a.run(["python3", "-c", "import subprocess,sys; subprocess.Popen(['sleep', '9' * 3, "
               "'\\x1b[31m\\n' + '\\u00e9' * 300], stderr=subprocess.DEVNULL)"])
    ok(all(len(c.encode()) <= 200 and c.isprintable() for _, c in r["done"]["listed"]),
       "command lines are cleaned and shortened", r["done"]["listed"])


COARSE = 5  # CLOCK_REALTIME_COARSE: the clock that file times are taken from


def changes():
    a = Agent()
    watched = a.dir + "/watched"
    open(watched, "w").close()

    def changed(step, **more):
        """A change in the very tick in which a step begins counts as its own: begin in a new one."""
        tick = time.clock_gettime(COARSE)
        ok(until(lambda: time.clock_gettime(COARSE) > tick), "file times have moved on")
        return a.run(step, **more)["done"]["changed"]

    equal(changed("true"), 0, "nothing changed")
    equal(changed("mkdir -p d/e/f"), 1, "a directory made")
    equal(changed("ls -R"), 0, "looked at only")
    equal(changed("echo x > d/e/f/g"), 1, "a file written")
    equal(changed("echo y >> d/e/f/g; touch -d 2001-01-01 d/e/f/g"), 1, "its time set back")
    equal(changed("chmod 600 d/e/f/g"), 1, "its mode")
    equal(changed("mv d/e/f/g d/e/h"), 1, "moved")
    equal(changed("rm d/e/h"), 1, "removed")
    equal(changed("touch /tmp/elsewhere.$$; rm /tmp/elsewhere.*"), 0, "elsewhere")
    equal(changed("true", watch=[watched, "/no/such"]), 0, "watched, untouched")
    equal(changed(f"echo >> {watched}", watch=["/no/such", watched]), 1, "watched, written to")
    got = a.call(files=[(a.dir + "/outside", b"x")])
    equal(got.done["changed"], 1, "the call's own files count")
    a.run("mkdir many; cd many; seq 30000 | xargs touch")
    equal(changed("true"), 2, "too many files to look at: unknown")
    a.run("rm -r many; mkdir -p " + "/".join(["x"] * 40))
    equal(changed("true"), 2, "too deep to look at: unknown")
    a.run("rm -r x d")


def progress():
    a = Agent()
    got = a.call("echo first; sleep 2.3; printf 'half\\rline \\xc3\\xa9\\n\\n  \\n'; sleep 1",
                 flags=1)
    ok(2 <= len(got.progress) <= 4, "about once a second", got.progress)
    equal(got.progress[0][0], 6, "bytes so far")
    equal(got.progress[0][3], "first", "the last line")
    equal(got.progress[-1][3], "line \u00e9", "the last line with something on it")
    ok(900 <= got.progress[0][2] <= 1500, "elapsed time", got.progress)
    got = a.call("python3 -c 'import time; print(\"\\u00e9\" * 900); time.sleep(1.5)' 2>&1",
                 flags=1)
    ok(len(got.progress[0][3].encode()) <= 200 and "\ufffd" not in got.progress[0][3],
       "a long line is cut between characters", got.progress)
    got = a.call("sleep 1.2")
    equal(got.progress, [], "none unless wanted")


main(plain, peak, ends, sequence, environment, stdin, ends_with_main, changes, progress)
