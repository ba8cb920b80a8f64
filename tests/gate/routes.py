"""Each route of the Engine's API with each method, old and new versions: refused, and not one byte
of it reaches the engine, except the few that routes.txt marks."""

from pathlib import Path

from rig import Reader, connect, new_name, request
from tap import ok, same

HERE = Path(__file__).resolve().parent
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
# none, the oldest the gate speaks, the newest that routes.txt knows
PREFIXES = ("", "/v1.41", "/v1.56")


def rows(marks):
    """(path, methods of the engine, methods that pass: those with one of the marks)."""
    for line in (HERE / "routes.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            path, *methods = line.split()
            yield path, {m.rstrip("*+") for m in methods}, {m[:-1] for m in methods if m[-1] in marks}


def status(door, method, target):
    with connect(door) as s:
        s.sendall(request(method, target))
        answer = Reader(s).answer(method)
    return answer.status if answer else None


def check(rig):
    walk(rig, "route", rig.socket, list(rows("*+")))
    walk(rig, "the janitor's door", rig.janitor, list(rows("*")))


def walk(rig, what, door, table):
    same(len({path for path, _, _ in table}), len(table), f"{what}: each path stands once")
    ok(len(table) > 100, f"{what}: the list is whole", len(table))
    sent = 0
    for path, known, passing in table:
        target = path.replace("{id}", new_name()).replace("{name}", "x")
        wrong = []
        for prefix in PREFIXES:
            for method in sorted({*METHODS, *known}):
                rig.recorder.take()
                got = status(door, method, prefix + target)
                heard = rig.recorder.take()
                sent += 1
                # the engine's own answers: done, this version is too new for it, there is no such machine
                good = (got in (200, 400, 404) and heard.startswith(f"{method} {prefix}{target} ".encode())
                        if method in passing else got == 403 and heard == b"")
                if not good:
                    wrong.append(f"{method} {prefix}{target}: answer {got}, the engine saw {heard[:200]!r}")
        ok(not wrong, f"{what} {path}: passes {' '.join(sorted(passing)) or 'nothing'}", "\n".join(wrong))
    same(sent, len(table) * len(METHODS) * len(PREFIXES), f"{what}: {sent} requests were sent")
