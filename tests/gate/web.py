"""A FastCGI application of a few lines behind a real nginx with the project's configuration."""

import json
import os
import socket
import struct
import subprocess
import threading
from pathlib import Path

from rig import Reader, request, wait_for

BEGIN, END, PARAMS, STDIN, STDOUT = 1, 3, 4, 5, 6


def record(kind, data):
    return struct.pack(">BBHHBB", 1, kind, 1, len(data), 0, 0) + data


def read_params(data):
    """The name-value pairs of a PARAMS stream."""
    found = {}
    while data:
        sizes = []
        for _ in range(2):
            if data[0] < 128:
                sizes.append(data[0])
                data = data[1:]
            else:
                sizes.append(struct.unpack(">I", data[:4])[0] & 0x7FFFFFFF)
                data = data[4:]
        name, value = data[: sizes[0]], data[sizes[0] : sum(sizes)]
        found[name.decode()] = value.decode("latin-1")
        data = data[sum(sizes) :]
    return found


class Application:
    """Answers each request with the line "first", then, once `hold` is set, with the parameters and
    the length of the body it got, as JSON."""

    def __init__(self, path):
        self.hold = threading.Event()
        self.hold.set()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        os.chmod(path, 0o666)
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer):
        try:
            with peer:
                self.answer(peer, *self.read(Reader(peer)))
        except OSError:
            pass  # the peer went away

    def read(self, reader):
        """One request: (flags of its beginning, its streams)."""
        streams, flags = {PARAMS: b"", STDIN: b""}, 0
        while True:
            head = reader.take(8)
            if len(head) < 8:
                raise ConnectionError
            kind, size, pad = head[1], struct.unpack(">H", head[4:6])[0], head[6]
            data = reader.take(size)
            reader.take(pad)
            if kind == BEGIN:
                flags = data[2]
            elif data:
                streams[kind] += data
            elif kind == STDIN:
                return flags, streams

    def answer(self, peer, flags, streams):
        got = {"params": read_params(streams[PARAMS]), "body": len(streams[STDIN]), "keep": flags & 1}
        status = got["params"].get("HTTP_MCP_NAME", "200")  # a test asks for another status so
        peer.sendall(record(STDOUT, f"Status: {status}\r\nContent-Type: text/plain\r\n\r\nfirst\n".encode()))
        self.hold.wait(20)
        peer.sendall(record(STDOUT, json.dumps(got).encode()) + record(STDOUT, b"") + record(END, bytes(8)))


class Web:
    """nginx on a free port of loopback, with everything in `folder`."""

    def __init__(self, rig, folder, **settings):
        self.folder = Path(folder)
        self.folder.mkdir()
        self.folder.chmod(0o755)
        self.fcgi = self.folder / "fcgi.sock"
        self.plain, self.tls = free_port(), free_port()
        self.made = rig.script(
            "nginx-conf/make-nginx.sh",
            str(self.folder / "conf"),
            **{
                "BACKTALK_FCGI_SOCKET": str(self.fcgi),
                "BACKTALK_LISTEN": f"127.0.0.1:{self.tls}",
                "BACKTALK_CERTIFICATE": str(self.folder / "cert.pem"),
                "BACKTALK_CERTIFICATE_KEY": str(self.folder / "key.pem"),
                **settings,
            },
        )
        if self.made.returncode:
            raise RuntimeError(self.made.stderr)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-days", "2", "-subj", "/CN=backtalk.example", "-keyout", self.folder / "key.pem",
             "-out", self.folder / "cert.pem"],
            check=True,
            capture_output=True,
        )
        temporary = "".join(
            f"{kind}_temp_path {self.folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        (self.folder / "nginx.conf").write_text(
            f"daemon off; user www-data; worker_processes 2; pid {self.folder}/pid; error_log stderr info;\n"
            "events { worker_connections 256; }\n"
            f"http {{ access_log off; {temporary}\n"
            f"include {self.folder}/conf/backtalk-http.conf;\n"
            f"include {self.folder}/conf/example-server.conf;\n"
            f"server {{ listen 127.0.0.1:{self.plain}; include {self.folder}/conf/backtalk.conf; }} }}\n"
        )
        self.command = ["nginx", "-e", "stderr", "-p", self.folder, "-c", self.folder / "nginx.conf"]
        self.process = None

    def test(self):
        got = subprocess.run([*self.command, "-t"], capture_output=True, text=True, check=False)
        return got.returncode, got.stderr

    def start(self):
        log = open(self.folder / "log", "wb")
        self.process = subprocess.Popen(self.command, stdout=log, stderr=log)
        wait_for("nginx's port", lambda: not self.process.poll() and listens(self.plain) and listens(self.tls))

    def send(self, method="POST", target="/mcp", body=b"{}", headers=(), timeout=20):
        """One request on a connection of its own: (answer, its body)."""
        with socket.create_connection(("127.0.0.1", self.plain), timeout) as s:
            try:
                s.sendall(request(method, target, body, (*headers, "Connection: close")))
            except OSError:
                pass  # refused before all was sent
            answer = Reader(s).answer(method)
            return answer, answer.body

    def told(self, **arguments):
        """What the application was told by one request."""
        _, text = self.send(**arguments)
        return json.loads(text.partition(b"first\n")[2])

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(10)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False
