"""Runs the parts named on the command line, or all, with one rig and one plan."""

import importlib
import signal
import sys

import rig as rigs
import tap

PARTS = ("config", "allowed", "forbidden", "routes", "network")


def main(names):
    rig = rigs.Rig()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        rig.open()
        for name in names:
            tap.note(name)
            try:
                importlib.import_module(name).check(rig)
            except Exception:
                tap.broke(f"{name}: the test ran to its end")
                tap.note(rig.log.read_text()[-2000:].replace("\n", "\n# "))
    finally:
        rig.close()
    tap.done()


main(sys.argv[1:] or PARTS)
