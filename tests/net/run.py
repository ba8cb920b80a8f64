"""An nginx of our own with the project's configuration, before the workers of the
running stack: requests that pretend to be somebody else's, that crawl, and that flood. README.md."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "gate"))

import crowd  # noqa: E402
import pretend  # noqa: E402
import tap  # noqa: E402
from client import Member  # noqa: E402
from web import Web  # noqa: E402


class Scripts:
    """What web.py needs to make nginx's configuration."""

    @staticmethod
    def script(name, *argv, **more):
        return subprocess.run([str(ROOT / name), *argv], env=dict(os.environ, **more), capture_output=True, text=True,
                              timeout=120, check=False)


def front(folder, **limits):
    """An nginx that is not the stack's, with limits; those not given are what an operator gets who sets none."""
    for name in ("BACKTALK_KEY_RATE", "BACKTALK_ADDR_RATE", "BACKTALK_KEY_CONNS", "BACKTALK_ADDR_CONNS"):
        os.environ.pop(name, None)
    socket = f"/run/quickstart-{os.environ['BACKTALK_INSTANCE']}/fcgi.sock"
    web = Web(Scripts, folder, BACKTALK_FCGI_SOCKET=socket, **limits)
    web.start()
    return web


def main():
    with tempfile.TemporaryDirectory(prefix="bt-net.") as scratch:
        os.chmod(scratch, 0o755)
        web = front(Path(scratch) / "web")
        # a machine that is busy with tests serves fewer calls a second: so the limits are lower, too
        narrow = front(Path(scratch) / "narrow", BACKTALK_KEY_RATE="6", BACKTALK_KEY_BURST="12")
        try:
            with Member(web, f"net-one-{os.getpid()}") as one, Member(web, f"net-two-{os.getpid()}") as two:
                pretend.check(web, one, two)
                one.web = two.web = narrow
                crowd.check(narrow, one, two)
        except (OSError, RuntimeError, ValueError, KeyError, subprocess.SubprocessError):
            tap.broke("the test ran to its end")
        finally:
            web.stop()
            narrow.stop()
    tap.done()


main()
