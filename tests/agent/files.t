#!/usr/bin/env -S python3 -B
"""Files of a call: where and how they are written, and what happens when they cannot be."""

import errno
import os
import stat
from agentlib import *


def entries(path):
    return sorted(os.path.join(d, f)[len(path) + 1:]
                  for d, ds, fs in os.walk(path) for f in ds + fs)


def plain():
    a = Agent()
    w = a.work
    got = a.call("cat one; stat -c %a one two d/e/three", files=[
        (w + "/one", b"content\n"), (w + "/two", b"", 0o755),
        (w + "/d/e/three", b"\0\xff" * 100000)])
    equal(got.steps[0]["out"].tail, b"content\n644\n755\n644\n", "written before the steps run")
    equal(open(w + "/d/e/three", "rb").read(), b"\0\xff" * 100000, "bytes as they are")
    equal(entries(w), ["d", "d/e", "d/e/three", "one", "two"], "parents are made, nothing else")
    equal(stat.S_IMODE(os.stat(w + "/d").st_mode), 0o755, "mode of parents")
    equal((got.done["changed"], got.done["path"]), (1, ""), "DONE says that something changed")
    big = os.urandom(20 << 20)
    start = time.monotonic()
    a.call(files=[(w + "/big", big)])
    say(f"20 MiB written in {time.monotonic() - start:.2f} s")
    equal(open(w + "/big", "rb").read() == big, True, "20 MiB")
    equal(entries(a.logs), ["1.out"], "no leavings among the logs")


def existing():
    a = Agent()
    w = a.work
    with open(w + "/kept", "w") as f:
        f.write("old and longer than the new one")
    os.chown(w + "/kept", 1234, 4321)
    os.chmod(w + "/kept", 0o4750)
    a.call(files=[(w + "/kept", b"new")])
    st = os.stat(w + "/kept")
    equal((open(w + "/kept").read(), st.st_uid, st.st_gid, stat.S_IMODE(st.st_mode)),
          ("new", 1234, 4321, 0o4750), "an existing file keeps owner and mode")
    os.symlink("kept", w + "/link")
    os.symlink("later", w + "/dangling")
    a.call(files=[(w + "/link", b"through"), (w + "/dangling", b"too")])
    equal((os.readlink(w + "/link"), open(w + "/kept").read()), ("kept", "through"),
          "a symlink is followed")
    equal((os.readlink(w + "/dangling"), open(w + "/later").read()), ("later", "too"),
          "also one that leads to nothing yet")
    os.link(w + "/kept", w + "/same")
    a.call(files=[(w + "/same", b"both")])
    equal(open(w + "/kept").read(), "both", "hard links stay together")
    os.mkdir(w + "/real")
    os.symlink("real", w + "/dirlink")
    a.call(files=[(w + "/dirlink/x", b"1"), (w + "/dirlink/x", b"2")])
    equal(open(w + "/real/x").read(), "2", "a directory behind a symlink; twice the same file")
    a.call(files=[("/dev/null", b"x" * 1000)])
    ok(stat.S_ISCHR(os.stat("/dev/null").st_mode), "a device is written to, not replaced")
    running = os.path.join(w, "sleep")
    a.run(f"cp $(which sleep) {running}; {running} 20 &")
    got = a.call(files=[(running, b"#!/bin/sh\n")])
    equal(got.done["errno"], 0, "a program that runs can be replaced")
    a.run("pkill sleep")
    a.call(files=[("/proc/sys/kernel/hostname", b"named-by-a-file\n")])
    equal(a.run("hostname")["out"].tail, b"named-by-a-file\n", "a file below /proc")
    long_name = "n" * 255
    a.call(files=[(f"{w}/{long_name}", b"x")])
    equal(open(f"{w}/{long_name}").read(), "x", "the longest name there is")
    a.run(f"mkdir {w}/mount; echo old > {w}/mount/f; mount --bind {w}/mount/f {w}/mount/f")
    a.call("cat mount/f", files=[(w + "/mount/f", b"new")])
    equal(a.run("cat mount/f")["out"].tail, b"new", "a mount point is written to")


def failing():
    a = Agent()
    w = a.work
    open(w + "/plain", "w").close()
    os.mkdir(w + "/dir")
    for name, path, error in [
            ("a directory", w + "/dir", errno.EISDIR),
            ("a path that ends in /", w + "/new/", errno.EISDIR),
            ("the root", "/", errno.EISDIR),
            ("a parent that is a file", w + "/plain/x", errno.ENOTDIR),
            ("deep below a file", w + "/plain/x/y/z", errno.ENOTDIR),
            ("a name that is too long", w + "/" + "n" * 256, errno.ENAMETOOLONG),
            ("below /proc", "/proc/nosuch/x", errno.ENOENT),
            ("a file below /proc that refuses it", "/proc/version", errno.EIO),
            ("a full device", "/dev/full", errno.ENOSPC)]:
        got = a.call("touch ran", "touch ran", files=[(w + "/first", b"x"), (path, b"content")])
        equal((got.done["path"], got.done["errno"]), (path, error), f"{name}: which file and why")
        equal([s["end"] for s in got.steps], [NOT_RUN, NOT_RUN], "no step has run")
        equal(os.path.exists(w + "/ran"), False, "really not")
        if path != "/dev/full" and not path.startswith("/proc"):
            equal(os.path.exists(w + "/first"), False, "the file before it is not written either")
        if os.path.exists(w + "/first"):
            os.unlink(w + "/first")
    equal([e for e in entries(w) if "backtalk" in e], [], "no leavings")
    fifo = w + "/fifo"
    os.mkfifo(fifo)
    got = a.call("true", files=[(fifo, b"x")])
    equal((got.done["path"], got.done["errno"]), (fifo, errno.ENXIO), "a FIFO does not hold it up")


def full_disk():
    a = Agent()
    a.run(f"mkdir {a.work}/small; mount -t tmpfs -o size=2m tmpfs {a.work}/small; "
          f"echo precious > {a.work}/small/f")
    path = a.work + "/small/f"
    got = a.call("true", files=[(path, b"x" * (3 << 20))])
    equal((got.done["path"], got.done["errno"]), (path, errno.ENOSPC), "no room for a file")
    r = a.run("cat small/f; ls -A small; df small | tail -1 | awk '{print $3}'")
    equal(r["out"].tail.split(), [b"precious", b"f", b"4"],
          "the old content is there, nothing is left behind")
    a.run("head -c 3M /dev/zero > small/filler; rm -rf " + a.logs)
    os.symlink(a.work + "/small", a.logs)
    for name, made in [("3 MiB of input", a.frames("wc -c", input=b"x" * (3 << 20))),
                       ("a small one", a.frames("wc -c", input=b"x"))]:
        a.send(*made)
        got = a.collect(made.call)
        ok(got.steps and got.steps[0]["end"] == EXITED or got.done["errno"] == errno.ENOSPC,
           f"a full disk and {name}", got.done)
    r = a.run("echo still; echo works >&2")
    equal((r["out"].tail, r["err"].tail), (b"still\n", b"works\n"), "a full disk holds no step up")
    equal((r["out"].log, r["err"].log), ("", ""), "there is no whole output, and no claim of one")
    r = a.run("head -c 200000 /dev/zero | tr '\\0' x", head=100000, tail=10)
    equal((r["out"].seen, len(r["out"].head), len(r["out"].tail)), (200000, 65536, 10),
          "as much of the head as memory holds")


main(plain, existing, failing, full_disk)
