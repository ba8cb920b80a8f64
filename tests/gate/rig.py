"""The rig: a gate of our own between a client and the real engine, with a recorder behind it.

    client -> HAProxy (the gate under test) -> recorder -> dockerd

The recorder keeps every byte that came out of the gate, so a test knows what passed, not only
what was answered. Everything has its own sockets in a scratch folder; close() removes it all."""

import contextlib
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IMAGE = os.environ.get("BACKTALK_IMAGE", "backtalk-sandbox:slim")


def wait_for(what, condition, seconds=15.0):
    """Polls until condition() is true; fails the program when it does not become so in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"{what} did not happen within {seconds:g} s")
        time.sleep(0.02)


def connect(path, timeout=20.0):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(timeout)
    s.connect(str(path))
    return s


def engine_path():
    host = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    if not host.startswith("unix://"):
        raise SystemExit("tests/gate needs a Docker Engine on a unix socket")
    return host.removeprefix("unix://")


class Answer:
    """One HTTP answer: status, headers (lower case), body."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.body[:200]!r}"


class Reader:
    """Reads HTTP answers, one after another, from a socket."""

    def __init__(self, sock):
        self.sock, self.held = sock, b""

    def more(self):
        got = self.sock.recv(65536)
        self.held += got
        return bool(got)

    def take(self, n):
        while len(self.held) < n and self.more():
            pass
        out, self.held = self.held[:n], self.held[n:]
        return out

    def line(self):
        while b"\r\n" not in self.held and self.more():
            pass
        out, _, self.held = self.held.partition(b"\r\n")
        return out.decode("latin-1")

    def answer(self, method="GET"):
        """The next answer, or None when the peer closed without one."""
        first = self.line()
        match = re.match(r"HTTP/1\.[01] (\d{3})", first)
        if not match:
            return None
        status, headers = int(match[1]), {}
        while line := self.line():
            key, _, value = line.partition(":")
            headers[key.lower()] = value.strip()
        if status == 101 or status in (204, 304) or method == "HEAD":
            return Answer(status, headers, b"")
        if headers.get("transfer-encoding") == "chunked":
            body = b""
            while n := int(self.line().split(";")[0] or "0", 16):
                body += self.take(n)
                self.take(2)
            self.line()
        elif "content-length" in headers:
            body = self.take(int(headers["content-length"]))
        else:
            body = b""
        return Answer(status, headers, body)


def request(method, target, body=None, headers=(), version="HTTP/1.1"):
    """The bytes of a request; a body brings its Content-Length and Content-Type."""
    lines = [f"{method} {target} {version}", "Host: docker", *headers]
    if body is not None:
        body = body.encode() if isinstance(body, str) else body
        if not any(h.lower().startswith("content-type:") for h in headers):
            lines.append("Content-Type: application/json")
        lines.append(f"Content-Length: {len(body)}")
    elif method == "POST":
        lines.append("Content-Length: 0")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + (body or b"")


def ask(path, method, target, body=None, headers=(), timeout=60.0):
    """One request over a connection of its own."""
    with connect(path, timeout) as s:
        s.sendall(request(method, target, body, headers))
        return Reader(s).answer(method)


class Recorder:
    """Passes bytes between the gate and the engine and keeps those that go to the engine."""

    def __init__(self, path, engine):
        self.engine, self.seen, self.lock = engine, b"", threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        os.chmod(path, 0o666)
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = connect(self.engine, None)
            threading.Thread(target=self.pump, args=(near, far, True), daemon=True).start()
            threading.Thread(target=self.pump, args=(far, near, False), daemon=True).start()

    def pump(self, source, sink, record):
        try:
            while data := source.recv(65536):
                if record:
                    with self.lock:
                        self.seen += data
                sink.sendall(data)
        except OSError:
            pass
        try:
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def take(self):
        """What reached the engine since the last time."""
        with self.lock:
            out, self.seen = self.seen, b""
        return out


class Rig:
    def __init__(self):
        self.instance = f"gatetest-{os.getpid()}"
        self.network = f"bt-gatetest-{os.getpid()}"
        self.foreign = f"gatetest-foreign-{os.getpid()}"
        self.engine = engine_path()
        self.scratch = Path(tempfile.mkdtemp(prefix="bt-gate."))
        os.chmod(self.scratch, 0o755)
        self.socket = self.scratch / "gate.sock"
        self.janitor = self.scratch / "janitor.sock"
        self.log = self.scratch / "gate.log"
        self.proxy = None
        self.env = dict(
            os.environ,
            BACKTALK_INSTANCE=self.instance,
            BACKTALK_NETWORK=self.network,
            BACKTALK_IMAGE=IMAGE,
            BACKTALK_GATE=str(self.socket),
            BACKTALK_JANITOR_GATE=str(self.janitor),
            BACKTALK_DOCKER_SOCKET=str(self.scratch / "recorder.sock"),
        )
        self.recorder = Recorder(self.scratch / "recorder.sock", self.engine)

    def script(self, *argv, **more):
        """Runs one of the project's scripts in the rig's environment."""
        return subprocess.run(
            [str(ROOT / argv[0]), *argv[1:]],
            env=dict(self.env, **more),
            capture_output=True,
            text=True,
            timeout=120,
        )

    def open(self):
        made = self.script("nginx-conf/make-gate.sh")
        if made.returncode:
            raise RuntimeError(made.stderr)
        config = self.scratch / "gate.cfg"
        config.write_text(made.stdout)
        pattern = re.search(r"^ *acl body_create .* '(.*)'$", made.stdout, re.M)[1]
        self.pattern = pattern
        net = self.script("sandbox-image/network.sh", "create", self.network)
        if net.returncode:
            raise RuntimeError(net.stderr)
        # a container of another installation, which the gate must not touch
        labels = {"backtalk.instance": "another", "backtalk.gatetest": self.instance}
        made = self.direct("POST", f"/containers/create?name={self.foreign}",
                           json.dumps({"Image": IMAGE, "Labels": labels}))
        if made.status != 201:
            raise RuntimeError(f"the engine made no container: {made}")
        with open(self.log, "wb") as log:
            self.proxy = subprocess.Popen(
                [os.environ.get("HAPROXY", "haproxy"), "-db", "-f", str(config)],
                stdout=log,
                stderr=log,
            )
        wait_for("the gate's socket", self.answers)
        self.recorder.take()

    def answers(self):
        if self.proxy.poll() is not None:
            raise RuntimeError(self.log.read_text())
        try:
            connect(self.socket, 1).close()
            return True
        except OSError:
            return False

    def body(self, label="1"):
        """The create body, from the pattern: what is literal in it, and a label."""
        text = self.pattern.removeprefix("^").removesuffix("\\z")
        text = text.replace("[A-Za-z0-9._:-]{1,64}", label)
        return re.sub(r"\\(.)", r"\1", text)

    def send(self, raw, wait=10.0, door=None):
        """Raw bytes to the gate (the workers' door); the statuses of all answers until it closes or
        falls silent."""
        statuses = []
        with connect(door or self.socket, wait) as s:
            try:
                s.sendall(raw)
            except OSError:
                pass  # refused before all was sent: the answer is there to read
            try:
                s.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            reader = Reader(s)
            try:
                while answer := reader.answer():
                    statuses.append(answer.status)
            except OSError:
                pass
        return statuses

    def direct(self, method, target, body=None):
        """A request to the engine itself, past the gate."""
        return ask(self.engine, method, target, body)

    def ask(self, method, target, body=None, headers=()):
        return ask(self.socket, method, target, body, headers)

    def ask_janitor(self, method, target):
        """A request through the janitor's door."""
        return ask(self.janitor, method, target)

    def names(self):
        """The containers of this rig's installation, and the foreign one."""
        found = self.direct("GET", "/containers/json?all=1").json()
        mine = (self.instance, "another")
        return {n for c in found if c["Labels"].get("backtalk.instance") in mine for n in c["Names"]}

    def close(self):
        """Removes all that open() and the tests made, whatever state they are in."""
        with contextlib.ExitStack() as last_first:
            last_first.callback(shutil.rmtree, self.scratch, ignore_errors=True)
            last_first.callback(self.recorder.listener.close)
            last_first.callback(self.script, "sandbox-image/network.sh", "remove", self.network)
            last_first.callback(self.remove_containers)
            if self.proxy and self.proxy.poll() is None:
                last_first.callback(self.proxy.kill)
                self.proxy.terminate()
                self.proxy.wait(10)

    def remove_containers(self):
        for c in self.direct("GET", "/containers/json?all=1").json():
            ours = c["Labels"].get("backtalk.instance") == self.instance
            if ours or c["Labels"].get("backtalk.gatetest") == self.instance:
                self.direct("DELETE", f"/containers/{c['Id']}?force=1&v=1")


def new_name():
    return "bt-" + secrets.token_hex(16)
