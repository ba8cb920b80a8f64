"""TAP: one numbered line for each thing tried; the plan comes at the end."""

import sys
import traceback

count = 0
failed = 0


def ok(good, name, why=""):
    """Says whether what `name` claims is so; `why` is shown when it is not."""
    global count, failed
    count += 1
    print(f"{'ok' if good else 'not ok'} {count} - {name}", flush=True)
    if not good:
        failed += 1
        for line in str(why).splitlines():
            print(f"#   {line}", flush=True)
    return bool(good)


def same(got, want, name):
    return ok(got == want, name, f"got  {got!r}\nwant {want!r}")


def note(text):
    print(f"# {text}", flush=True)


def broke(name):
    """A test program's own exception is a failure of what it was trying."""
    ok(False, name, traceback.format_exc())


def done():
    print(f"1..{count}", flush=True)
    sys.exit(1 if failed or not count else 0)
