"""Floods by one member or address, and how another member fares meanwhile: idle and flooded rounds in
turn, in one run, so that only their ratio counts."""

import json
import subprocess
import sys
import time
from pathlib import Path

from client import body
from tap import note, ok, same

HERE = Path(__file__).resolve().parent
CALLS, PAUSE_S, ROUNDS, RATIO = 30, 0.2, 3, 2.0


class Flood:
    def __init__(self, web, kind, headers):
        self.process = subprocess.Popen([sys.executable, "-B", HERE / "flood.py", str(web.plain), kind], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env={"PYTHONPATH": str(HERE.parent / "gate")})
        self.process.stdin.write("\n".join(headers))
        self.process.stdin.close()
        self.process.stdout.readline()
        self.began = time.monotonic()

    def end(self):
        self.process.terminate()
        counts = json.loads(self.process.stdout.readline())
        self.process.wait(60)
        counts["seconds"] = round(time.monotonic() - self.began)
        return counts


def calls(member):
    """Milliseconds of each of CALLS calls, sorted; all of them must work. They come at a pace that the
    member's own limit allows."""
    times = []
    for _ in range(CALLS):
        time.sleep(PAUSE_S)
        began = time.monotonic()
        status, text = member.send(body(command="true"))
        times.append((time.monotonic() - began) * 1000)
        if status != 200 or "exit code 0" not in text:
            raise RuntimeError(f"a call of the other member: {status} {text}")
    return sorted(times)


def fares(web, one, kind, headers):
    """The other member's slowest calls, idle and flooded; the best of some rounds is held to the ratio:
    what else this machine does must not decide."""
    ratios, counts = [], {}
    for _ in range(ROUNDS):
        idle = calls(one)
        flood = Flood(web, kind, headers)
        try:
            flooded = calls(one)
        finally:
            counts = flood.end()
        ratios.append(flooded[-1] / idle[-1])
        note(f"{kind}: median {idle[CALLS // 2]:.0f} ms idle, {flooded[CALLS // 2]:.0f} ms flooded; "
             f"p99 {idle[-1]:.0f} ms, {flooded[-1]:.0f} ms; {counts}")
        if ratios[-1] < RATIO:
            break
    ok(min(ratios) < RATIO, f"{kind}: another member's p99 stays under twice its idle value", ratios)
    return counts


def check(web, one, two):
    one.machine()
    two.machine()
    counts = fares(web, one, "calls", two.headers())
    # the share: run.py's rate and burst; 2 s for what was under way
    share = 6 * (counts["seconds"] + 2) + 12
    ok(0 < counts.get("200", 0) <= share, f"a flooding member is served its share of {share} calls, no more", counts)
    counts = fares(web, one, "keys", two.headers())
    same(set(counts) - {"401", "503", "seconds"}, set(), "wrong keys are refused, all of them")
    counts = fares(web, one, "heads", two.headers())
    ok(counts["opened"] >= 200, "200 connections crawled", counts)
    counts = fares(web, one, "bodies", two.headers())
    ok(counts.get("closed", 0) > 0, "one address has its share of open requests, the rest is refused", counts)
