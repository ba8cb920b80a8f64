"""The configurations we generate: HAProxy and nginx accept them, values that could mean something
else are refused, and nginx does with a request what the workers count on."""

import json
import pwd
import re
import socket
import ssl
import subprocess
import time
from pathlib import Path

from rig import Reader, ask, request, wait_for
from tap import ok, same
from web import Application, Web

KEY = "Authorization: Bearer key-1"
# Words clients take for an order to stop connecting or to log in.
FORBIDDEN_WORDS = ("401", "429", "unauthorized", "authentication", "rate limit", "oauth")


def gate_config(rig):
    made = rig.script("nginx-conf/make-gate.sh")
    same(made.returncode, 0, "make-gate.sh")
    path = rig.scratch / "try.cfg"
    path.write_text(made.stdout)
    got = subprocess.run(["haproxy", "-c", "-f", path], capture_output=True, text=True, check=False)
    ok(got.returncode == 0 and "WARNING" not in got.stderr, "haproxy -c: valid, no warning", got.stderr)
    ok("@" not in re.sub(r"unix@/", "", made.stdout), "nothing is left unfilled")
    as_root = rig.script("nginx-conf/make-gate.sh", BACKTALK_GATE_USER="haproxy", BACKTALK_GATE_GROUP="www-data")
    ok(re.search(r"^ *user haproxy\n *group docker$", as_root.stdout, re.M)
       and "mode 660 group www-data" in as_root.stdout, "with users: HAProxy's and the socket's")
    for name, value in {
        "BACKTALK_INSTANCE": "a'b",
        "BACKTALK_GATE": "/x mode 777",
        "BACKTALK_GATE_MODE": "666 user root",
        "BACKTALK_JANITOR_GATE": "/x mode 777",
        "BACKTALK_JANITOR_GATE_OWNER": "root mode 777",
        "BACKTALK_NETWORK": ".*/",
        "BACKTALK_DOCKER_SOCKET": "relative",
        "BACKTALK_GATE_USER": "root\n",
        "BACKTALK_GATE_PATTERN": "^.*$",
        "BACKTALK_TIMEOUT_MAX_S": "1s",
        "BACKTALK_GATE_LOG": "stdout\n    x",
    }.items():
        got = rig.script("nginx-conf/make-gate.sh", **{name: value})
        ok(got.returncode != 0 and not got.stdout, f"{name}={value!r} is refused", got.stdout)


def gate_as_user(rig):
    """Started as root, the gate runs as haproxy with Docker's group; with no engine it says so soon."""
    path = rig.scratch / "second.cfg"
    where = rig.scratch / "second.sock"
    for socket_path, status in ((rig.env["BACKTALK_DOCKER_SOCKET"], 200), (str(rig.scratch / "none"), 503)):
        path.write_text(rig.script("nginx-conf/make-gate.sh", BACKTALK_GATE=str(where),
                                   BACKTALK_JANITOR_GATE=str(rig.scratch / "second-janitor.sock"), BACKTALK_GATE_USER="haproxy",
                                   BACKTALK_DOCKER_SOCKET=socket_path).stdout)
        with subprocess.Popen(["haproxy", "-db", "-f", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as gate:
            wait_for("the second gate's socket", where.exists)
            began = time.monotonic()
            same(ask(where, "GET", "/_ping").status, status, f"a gate of its own user answers {status}")
            ok(time.monotonic() - began < 1.5, "and soon", time.monotonic() - began)
            identity = re.search(r"^Uid:\t(\d+)", Path(f"/proc/{gate.pid}/status").read_text(), re.M)[1]
            same(pwd.getpwuid(int(identity)).pw_name, "haproxy", "it is not root")
            gate.terminate()
        where.unlink(missing_ok=True)


def nginx_config(rig):
    web = Web(rig, rig.scratch / "try")
    code, said = web.test()
    ok(code == 0 and "[warn]" not in said, "nginx -t: valid, no warning", said)
    for name, value in {
        "BACKTALK_FCGI_SOCKET": "/x;y",
        "BACKTALK_KEY_RATE": "0",
        "BACKTALK_SERVER_NAME": "a;b",
        "BACKTALK_LISTEN": "443 ssl",
    }.items():
        got = rig.script("nginx-conf/make-nginx.sh", str(rig.scratch / "refused"), **{name: value})
        ok(got.returncode != 0, f"{name}={value!r} is refused")


def parameters(web):
    """What a worker is told is exactly the list it reads."""
    told = web.told(body=b"12345", headers=(
        KEY, "Accept: a", "Origin: b", "X-Conversation-Id: c", "X-User-Id: d", "MCP-Protocol-Version: e",
        "Mcp-Method: f", "Mcp-Session-Id: g", "User-Agent: h", "X-Other: no", "Cookie: no"))
    same(told["params"], {
        "REQUEST_METHOD": "POST", "CONTENT_TYPE": "application/json", "CONTENT_LENGTH": "5", "HTTP_ACCEPT": "a",
        "HTTP_ORIGIN": "b", "HTTP_AUTHORIZATION": "Bearer key-1", "HTTP_X_CONVERSATION_ID": "c",
        "HTTP_X_USER_ID": "d", "HTTP_MCP_PROTOCOL_VERSION": "e", "HTTP_MCP_METHOD": "f",
        "HTTP_MCP_SESSION_ID": "g", "HTTP_USER_AGENT": "h", "BACKTALK_CONVERSATION": "",
    }, "the parameters, all of them")
    same((told["body"], told["keep"]), (5, 0), "the body; one connection a request")
    told = web.told(method="GET", body=None)
    same(told["params"], {"REQUEST_METHOD": "GET", "BACKTALK_CONVERSATION": ""}, "a header not sent is not passed")
    for target, name in {
        "/mcp/c/abc": "abc", "/mcp/c/a-b.c:d@e": "a-b.c:d@e", "/mcp/c/a%20b": "a b", "/mcp/c/": "",
        "/mcp/c/a/b": "a/b", "/mcp/c/a?x=y": "a", "/mcp/c/%7B%7Bx%7D%7D": "{{x}}", "/mcp?c=a": "",
    }.items():
        same(web.told(target=target)["params"]["BACKTALK_CONVERSATION"], name, f"the conversation of {target}")
    for target in ("/mcp/", "/mcpx", "/mcp/x", "/", "/mcp/c"):
        same(web.send(target=target)[0].status, 404 if target != "/mcp/c" else 301, f"{target} is not ours")
    body = b"x" * (20 << 20)
    same(web.told(body=body)["body"], len(body), "a body of 20 MiB arrives whole")
    chunked = b"3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n"
    with socket.create_connection(("127.0.0.1", web.plain), 20) as s:
        s.sendall(b"POST /mcp HTTP/1.1\r\nHost: d\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n" + chunked)
        text = Reader(s).answer().body
        ok(b'"CONTENT_LENGTH": "7"' in text, "a chunked body arrives with its length", text)
    for status in ("401", "404", "405", "413", "400"):
        answer, text = web.send(headers=(f"Mcp-Name: {status}",))
        ok(answer.status == int(status) and b"first" in text, f"a worker's own {status} passes as it is", text)


def streaming(web, app):
    """The first line of an answer is there before the last one is written."""
    app.hold.clear()
    with socket.create_connection(("127.0.0.1", web.plain), 5) as s:
        s.sendall(request("POST", "/mcp", b"{}"))
        reader = Reader(s)
        while b"first" not in reader.held and reader.more():
            pass
        ok(b"first" in reader.held and b"params" not in reader.held, "an answer is passed on as it comes", reader.held)
    app.hold.set()


def own_answer(web, status, what, **arguments):
    """An answer of nginx itself: JSON-RPC, and no word a client would misread."""
    answer, text = web.send(**arguments)
    same((answer.status, answer.headers.get("content-type")), (status, "application/json"), f"{what}: {status}")
    try:
        error = json.loads(text)["error"]
        ok(len(error["message"]) > 40 and not [w for w in FORBIDDEN_WORDS if w in text.decode().lower()],
           f"{what}: in words", text)
    except (ValueError, KeyError):
        ok(False, f"{what}: in words", text)


def floods(rig):
    web = Web(rig, rig.scratch / "flood", BACKTALK_KEY_RATE="1", BACKTALK_KEY_BURST="3", BACKTALK_ADDR_RATE="1",
              BACKTALK_ADDR_BURST="8", BACKTALK_KEY_CONNS="2", BACKTALK_BODY_MAX_BYTES="1000")
    app = Application(web.fcgi)
    web.start()
    try:
        got = [web.send(headers=(KEY,))[0].status for _ in range(6)]
        same((got[:4], set(got[4:])), ([200] * 4, {503}), "a key over its share is refused")
        same(web.send(headers=("Authorization: Bearer other",))[0].status, 200, "another key is not")
        got = [web.send(headers=(f"Authorization: Bearer {i}",))[0].status for i in range(10)]
        ok(503 in got, "an address that tries many keys is refused too", got)
        own_answer(web, 503, "a flood", headers=(KEY,))
    finally:
        web.stop()
        app.listener.close()


def tls(web):
    context = ssl.create_default_context(cafile=web.folder / "cert.pem")
    with socket.create_connection(("127.0.0.1", web.tls), 10) as plain:
        with context.wrap_socket(plain, server_hostname="backtalk.example") as s:
            s.sendall(request("POST", "/mcp", b"{}", ("Connection: close",)))
            same((Reader(s).answer().status, s.version()), (200, "TLSv1.3"), "the example server, over TLS")
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    with socket.create_connection(("127.0.0.1", web.tls), 10) as plain:
        try:
            context.wrap_socket(plain, server_hostname="backtalk.example").close()
            ok(False, "TLS 1.1 is refused")
        except (ssl.SSLError, OSError):
            ok(True, "TLS 1.1 is refused")


def nginx_at_work(rig):
    web = Web(rig, rig.scratch / "web", BACKTALK_KEY_RATE="1000", BACKTALK_ADDR_RATE="1000")
    app = Application(web.fcgi)
    web.start()
    try:
        parameters(web)
        streaming(web, app)
        tls(web)
        own_answer(web, 413, "a body over the limit", body=b"x" * (33 << 20))
        app.listener.close()
        web.fcgi.unlink()
        own_answer(web, 502, "no worker")
    finally:
        web.stop()
        app.listener.close()


def check(rig):
    gate_config(rig)
    gate_as_user(rig)
    nginx_config(rig)
    nginx_at_work(rig)
    floods(rig)
