"""What must not pass: each request is sent to the gate, must be refused, and not one byte of it may
reach the engine. The list is that of the threat model: whoever holds the gate's socket wants the
host, another installation's containers, or anything the worker has no use for."""

import gzip
import json

from rig import Reader, connect, new_name, request
from tap import ok, same

NAME = new_name()
AT = f"/containers/{NAME}"
CREATE = f"/containers/create?name={NAME}"
ATTACH = f"{AT}/attach?stream=1&stdin=1&stdout=1&stderr=1"
HIJACK = ("Connection: Upgrade", "Upgrade: tcp")

# Added to HostConfig of the one good body, each alone.
HOST_CONFIG = {
    "privileged": {"Privileged": True},
    "binds": {"Binds": ["/:/host"]},
    "mounts": {"Mounts": [{"Type": "bind", "Source": "/", "Target": "/host"}]},
    "docker socket": {"Binds": ["/var/run/docker.sock:/s"]},
    "volume": {"Mounts": [{"Type": "volume", "Source": "v", "Target": "/v"}]},
    "volumes from": {"VolumesFrom": ["other"]},
    "tmpfs": {"Tmpfs": {"/t": "exec"}},
    "devices": {"Devices": [{"PathOnHost": "/dev/sda", "PathInContainer": "/dev/x", "CgroupPermissions": "rwm"}]},
    "device rules": {"DeviceCgroupRules": ["b *:* rwm"]},
    "device requests": {"DeviceRequests": [{"Count": -1, "Capabilities": [["gpu"]]}]},
    "host network": {"NetworkMode": "host"},
    "another container's network": {"NetworkMode": "container:other"},
    "default network": {"NetworkMode": "bridge"},
    "host pid": {"PidMode": "host"},
    "another container's pid": {"PidMode": "container:other"},
    "host ipc": {"IpcMode": "host"},
    "shareable ipc": {"IpcMode": "shareable"},
    "host uts": {"UTSMode": "host"},
    "host users": {"UsernsMode": "host"},
    "host cgroups": {"CgroupnsMode": "host"},
    "cgroup parent": {"CgroupParent": "/"},
    "capability": {"CapAdd": ["SYS_ADMIN"]},
    "all capabilities": {"CapAdd": ["ALL"]},
    "nothing dropped": {"CapDrop": []},
    "unconfined": {"SecurityOpt": ["seccomp=unconfined"]},
    "apparmor off": {"SecurityOpt": ["apparmor=unconfined"]},
    "new privileges": {"SecurityOpt": []},
    "unmasked paths": {"MaskedPaths": [], "ReadonlyPaths": []},
    "sysctls": {"Sysctls": {"net.ipv6.conf.all.disable_ipv6": "0"}},
    "ports": {"PortBindings": {"80/tcp": [{"HostPort": "80"}]}},
    "all ports": {"PublishAllPorts": True},
    "links": {"Links": ["other:o"]},
    "extra hosts": {"ExtraHosts": ["host:host-gateway"]},
    "dns": {"Dns": ["10.0.0.1"]},
    "groups": {"GroupAdd": ["docker"]},
    "runtime": {"Runtime": "other"},
    "no memory limit": {"Memory": 0},
    "no swap limit": {"MemorySwap": -1},
    "no process limit": {"PidsLimit": -1},
    "no cpu limit": {"NanoCpus": 0},
    "more shares": {"CpuShares": 262144},
    "no oom killer": {"OomKillDisable": True},
    "oom score": {"OomScoreAdj": -1000},
    "log to the host": {"LogConfig": {"Type": "syslog", "Config": {"syslog-address": "tcp://x"}}},
    "restart for ever": {"RestartPolicy": {"Name": "always"}},
    "init": {"Init": True},
    "ulimits": {"Ulimits": []},
    "auto remove": {"AutoRemove": True},
    "storage": {"StorageOpt": {"size": "1T"}},
    "shared memory": {"ShmSize": 1 << 40},
    "real-time": {"CPURealtimeRuntime": 950000},
    "file of container ids": {"ContainerIDFile": "/etc/passwd"},
}

# The same beside it.
TOP = {
    "another image": {"Image": "debian:trixie-slim"},
    "image by digest": {"Image": "sha256:" + "0" * 64},
    "command": {"Cmd": ["sleep", "9"]},
    "entrypoint": {"Entrypoint": ["/bin/sh"]},
    "user": {"User": "0:0"},
    "environment": {"Env": ["LD_PRELOAD=/x"]},
    "volumes": {"Volumes": {"/v": {}}},
    "health check": {"Healthcheck": {"Test": ["CMD", "x"]}},
    "networks": {"NetworkingConfig": {"EndpointsConfig": {"bridge": {}}}},
    "hostname": {"Hostname": "x"},
    "terminal": {"Tty": True},
    "stdin once": {"StdinOnce": True},
    "another label": {"Labels": {"backtalk.instance": "another", "backtalk.member": "1"}},
    "exposed ports": {"ExposedPorts": {"80/tcp": {}}},
    "mac address": {"MacAddress": "02:42:00:00:00:01"},
    "stop signal": {"StopSignal": "SIGKILL"},
    "unknown key": {"x": 1},
}


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def changed_bodies(good):
    """(what, body): good JSON that says something else."""
    whole = json.loads(good)
    for what, extra in HOST_CONFIG.items():
        yield what, compact(whole | {"HostConfig": whole["HostConfig"] | extra})
    for what, extra in TOP.items():
        yield what, compact(whole | extra)
    for key in whole:
        yield f"without {key}", compact({k: v for k, v in whole.items() if k != key})
    for key in whole["HostConfig"]:
        host = {k: v for k, v in whole["HostConfig"].items() if k != key}
        yield f"without HostConfig.{key}", compact(whole | {"HostConfig": host})
    yield "keys in another order", compact(dict(reversed(list(whole.items()))))
    yield "the same with spaces", json.dumps(whole)


def disguised_bodies(good):
    """(what, body): a parser that is lenient in any way reads something else into these."""
    evil = '"HostConfig":{"Privileged":true}'
    for key in ("HostConfig", "hostconfig", "HOSTCONFIG", "hostConfig", "Host\\u0043onfig", "HostConfig\\u0000",
                "HoſtConfig"):
        extra = evil.replace("HostConfig", key)
        yield f"second {key} at the end", good[:-1] + "," + extra + "}"
        yield f"second {key} at the front", "{" + extra + "," + good[1:]
    for key in ("Privileged", "privileged", "PRIVILEGED", "Priv\\u0069leged"):
        yield f"{key} twice", good[:-2] + f',"{key}":true' + "}}"
        yield f"{key} for Privileged", good.replace('"Privileged":false', f'"{key}":true')
    yield "true written as 1", good.replace('"Privileged":false', '"Privileged":1')
    for what, label in {
        "closes its string": '1","x":"y',
        "opens HostConfig": '1"},"HostConfig":{"Privileged":true},"Labels":{"a":"b',
        "an escape": "a\\u0022",
        "a line end": "a\nb",
        "a NUL": "a\0b",
        "no character": "",
        "65 characters": "a" * 65,
        "a space": "a b",
        "beyond ASCII": "ä",
        "a slash": "a/b",
    }.items():
        yield f"label with {what}", good.replace('"backtalk.member":"1"', f'"backtalk.member":"{label}"')
    yield "a line end after it", good + "\n"
    yield "CR LF after it", good + "\r\n"
    yield "a space before it", " " + good
    yield "a byte order mark", "\ufeff" + good
    yield "a NUL after it", good + "\0"
    yield "a NUL and a second document after it", good + "\0{" + evil + "}"
    yield "a NUL in it", good.replace('"Tty"', '"T\0ty"')
    yield "a second document after it", good + "{" + evil + "}"
    yield "a second document before it", "{" + evil + "}" + good
    yield "twice", good + good
    yield "in an array", "[" + good + "]"
    yield "cut by one byte", good[:-1]
    yield "its first half", good[: len(good) // 2]
    yield "empty", ""
    yield "null", "null"
    yield "a comment in it", good.replace("{", "{/**/", 1)
    yield "UTF-16", good.encode("utf-16-le")
    yield "compressed", gzip.compress(good.encode())
    yield "lower-case keys", good.replace('"Image"', '"image"')
    yield "followed by 1 MiB of spaces", good + " " * (1 << 20)
    yield "after 64 KiB of spaces", " " * 65536 + good
    yield "followed by spaces up to the buffer's size", good + " " * (65536 - len(good))
    yield "16 MiB", "x" * (16 << 20)


def odd_messages(good):
    """(what, raw bytes, statuses that are a refusal[, word]): the same words in another envelope.
    With a word, versions of HAProxy differ: some refuse, some take the word out and pass the rest."""
    def create(*headers, body=good, length=True, target=CREATE, method="POST", version="HTTP/1.1"):
        lines = [f"{method} {target} {version}", "Host: docker", *headers]
        if length:
            lines.append(f"Content-Length: {len(body)}")
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body.encode()

    def chunks(body):
        return f"{len(body):x}\r\n{body}\r\n0\r\n\r\n"

    kind = "Content-Type: application/json"
    evil = good.replace('"Privileged":false', '"Privileged":true')
    no = (403,)
    bad = (400, 403, 411, 422, 501, 505)
    yield "no content type", create(), no
    yield "text/plain", create("Content-Type: text/plain"), no
    yield "a form", create("Content-Type: application/x-www-form-urlencoded"), no
    yield "json with a parameter", create(kind + "; charset=utf-16"), no
    yield "two content types", create(kind, "Content-Type: text/plain"), no
    yield "content encoding", create(kind, "Content-Encoding: gzip"), no
    yield "chunked", create(kind, "Transfer-Encoding: chunked", body=chunks(good), length=False), no
    yield "chunked, forbidden body", create(kind, "Transfer-Encoding: chunked", body=chunks(evil), length=False), no
    yield "chunked with a length", create(kind, "Transfer-Encoding: chunked", body=chunks(evil)), bad
    yield "chunked start", create("Transfer-Encoding: chunked", target=f"{AT}/start", length=False,
                                  body=chunks('{"Privileged":true}')), no
    for value in ("xchunked", "chunked, chunked", "gzip, chunked", "identity", "\x0bchunked", "Chunked"):
        yield (f"transfer encoding {value!r}",
               create(kind, f"Transfer-Encoding: {value}", body=chunks(evil), length=False), bad)
    yield "space before the colon", create(kind, "Transfer-Encoding : chunked", body=chunks(evil)), bad
    yield "two lengths", create(kind, f"Content-Length: {len(good) + 1}"), bad
    yield "negative length", create(kind, "Content-Length: -1", length=False), bad
    yield "length with a plus", create(kind, f"Content-Length: +{len(good)}", length=False), bad
    yield "length in hex", create(kind, f"Content-Length: {len(good):#x}", length=False), bad
    yield "no length", create(kind, length=False), bad
    yield "length zero, then a body", create(kind, "Content-Length: 0", length=False), bad
    yield "HTTP/1.0", create(kind, version="HTTP/1.0"), bad
    yield "HTTP/2.0 in words", create(kind, version="HTTP/2.0"), bad
    yield "no version", f"GET {AT}/json\r\n\r\n".encode(), bad
    yield "bare line feeds", b"GET /_ping HTTP/1.1\nHost: d\nUpgrade: h2c\n\n", bad, b"h2c"
    yield "a NUL in the head", b"GET /_ping\0 HTTP/1.1\r\nHost: d\r\n\r\n", bad
    yield "a head of 100 KiB", create(kind, "X: " + "y" * 100000), bad + (431,)
    yield "upgrade to h2c", b"GET /_ping HTTP/1.1\r\nHost: d\r\nConnection: Upgrade, HTTP2-Settings\r\n" \
        b"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n", no
    yield "create that upgrades to h2c", create(kind, "Connection: Upgrade", "Upgrade: h2c"), no
    yield "create that upgrades to tcp", create(kind, *HIJACK), no
    yield "ping that upgrades to tcp", request("GET", "/_ping", None, HIJACK), no
    yield "start that upgrades to tcp", request("POST", f"{AT}/start", None, HIJACK), no
    for value in ("h2c", "websocket", "tcp, h2c", "TCP h2c", "tcp\r\nUpgrade: h2c"):
        yield (f"attach that upgrades to {value!r}",
               request("POST", ATTACH, None, ("Connection: Upgrade", f"Upgrade: {value}")), bad, b"h2c")
    yield "attach without upgrade", request("POST", ATTACH), no
    yield "attach with a body", request("POST", ATTACH, "{}", HIJACK), no
    # old engines take settings from the body of start when the client speaks an old version
    for target in (f"{AT}/start", f"/v1.41{AT}/start", f"/v1.23{AT}/start"):
        yield f"a body for {target[:6]}.../start", request("POST", target, '{"Privileged":true,"Binds":["/:/h"]}'), no
    for verb in ("stop", f"rename?name={NAME}"):
        yield f"a body for {verb[:6]}", request("POST", f"{AT}/{verb}", "{}"), no
    yield "a body for remove", request("DELETE", f"{AT}?force=1&v=1", "{}"), no
    yield "a body for inspect", request("GET", f"{AT}/json", "{}"), no
    yield "a body for ping", request("GET", "/_ping", "x"), no


def other_targets(rig):
    """(method, target): all that the worker has no use for."""
    yield from ENDPOINTS
    for name in (rig.foreign, "0" * 64, "0" * 12, NAME[:-1], NAME + "0", NAME.upper(), NAME.replace("bt-", "bt_"),
                 NAME.replace("bt-", ""), NAME[:-1] + "g", "bt-", f"{NAME}%00", f"{NAME}%20", f"%62t-{NAME[3:]}",
                 f"x{NAME}", f"{NAME},{rig.foreign}"):
        at = f"/containers/{name}"
        yield "GET", f"{at}/json"
        yield "POST", f"{at}/start"
        yield "POST", f"{at}/stop"
        yield "POST", f"{at}/rename?name={NAME}"
        yield "POST", f"{AT}/rename?name={name}"
        yield "DELETE", f"{at}?force=1&v=1"
    for method in ("GET", "PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "post", "Post", "DELETE", "PROPFIND", "GETX"):
        yield method, CREATE
        yield method, f"{AT}/start"
    for method in ("HEAD", "POST", "OPTIONS", "PUT", "get"):
        yield method, "/_ping"
        yield method, "/version"
        yield method, f"{AT}/json"
    yield "CONNECT", "docker:80"
    yield "OPTIONS", "*"
    for target in (f"/{AT}/json", f"{AT}//json", f"/.{AT}/json", f"/x/..{AT}/json", f"{AT}/../../images/json",
                   f"{AT}/json/", f"{AT}/json/..", f"{AT}/./json", f"{AT}/%6Ason", f"{AT}%2fjson", f"{AT}%2Fjson",
                   f"/containers/%2e%2e{AT}/json", f"/containers/{NAME}/../{rig.foreign}/json",
                   f"{AT}/json?x", f"{AT}/json?", f"{AT}/json?size=1", f"{AT}/json;x", f"{AT}/json#x", f"{AT}\\json",
                   f"http://docker{AT}/json", f"HTTP://docker{AT}/json", f"//docker{AT}/json", f"unix:{AT}/json",
                   f"{AT[1:]}/json", f"{AT}/json%0a", f"{AT}/json%20HTTP/1.1", f"/v1.41/v1.41{AT}/json",
                   f"/v1.41{AT}/json/../start", "/_ping/../info", "/_ping?x=1", "/_ping/", "//_ping", "/%5fping",
                   "/version/", "/version?x"):
        yield "GET", target
    for version in ("v1.12", "v1.23", "v1.24", "v1.40", "v1.100", "v1.411", "v1.4", "v1", "v2.41", "V1.41", "v1.41.",
                    "v01.41", "v1.041", "v-1.41", "1.41", "v1.41%20", "latest"):
        yield "POST", f"/{version}{AT}/start"
        yield "GET", f"/{version}{AT}/json"
    for query in ("", "?", "?name=", f"?name={NAME}&platform=linux", f"?platform=linux&name={NAME}",
                  f"?name={NAME}&name=x", f"?Name={NAME}", f"?name={NAME}#", f"?name={NAME}%00", f"?name=/{NAME}",
                  f"?name={NAME};x=y", f"?name[]={NAME}", f"?x&name={NAME}", f"?&name={NAME}", f"?name=%62t-{NAME[3:]}"):
        yield "POST", f"/containers/create{query}"
    for query in ("?checkpoint=x", "?checkpoint-dir=/", "?detachKeys=a", "?"):
        yield "POST", f"{AT}/start{query}"
    for query in ("?t=-1", "?t=", "?t=1000", "?t=1&t=2", "?signal=SIGKILL", "?t=1&signal=9"):
        yield "POST", f"{AT}/stop{query}"
    for query in ("", "?force=1", "?v=1&force=1", "?force=1&v=1&link=1", "?link=1", "?force=1&v=0", "?force=1&v=1&x"):
        yield "DELETE", f"{AT}{query}"
    label = f"%7B%22label%22%3A%5B%22backtalk.instance%3D{rig.instance}%22%5D%7D"
    for query in ("", "?", "?all=1", "?all=true", f"?all=0&filters={label}", f"?filters={label}&all=1",
                  f"?all=1&filters={label}&size=1", f"?all=1&filters={label}&filters=%7B%7D", "?all=1&filters=%7B%7D",
                  f"?all=1&filters={label.replace(rig.instance, 'another')}", f"?all=1&filters={label.lower()}",
                  f"?all=1&filters={label.replace('backtalk.', 'backtalk%2E')}", "?limit=1",
                  f"?all=1&filters={label.replace(rig.instance, rig.instance + 'x')}"):
        yield "GET", f"/containers/json{query}"


ENDPOINTS = [
    *(("POST", f"{AT}/{verb}") for verb in (
        "exec", "kill", "kill?signal=9", "pause", "unpause", "restart", "update", "wait", "resize?h=1&w=1", "copy",
        "attach", "attach?stream=1", "attach?stream=1&stdin=1&stdout=1&stderr=1&logs=1", "rename", "checkpoints")),
    *(("GET", f"{AT}/{verb}") for verb in (
        "logs?stdout=1", "top", "stats", "stats?stream=0", "changes", "export", "archive?path=/", "checkpoints",
        "attach/ws?stream=1&stdin=1", "")),
    ("PUT", f"{AT}/archive?path=/"), ("HEAD", f"{AT}/archive?path=/"), ("DELETE", f"{AT}/checkpoints/x"),
    ("POST", "/exec/0123/start"), ("POST", "/exec/0123/resize"), ("GET", "/exec/0123/json"),
    ("POST", "/containers/prune"), ("GET", "/containers/ps"), ("POST", f"/commit?container={NAME}"),
    ("POST", "/build"), ("POST", "/build?remote=http://x/"), ("POST", "/build/prune"), ("POST", "/build/cancel?id=1"),
    ("POST", "/session"), ("POST", "/grpc"), ("POST", "/moby.buildkit.v1.Control/Solve"),
    ("GET", "/images/json"), ("POST", "/images/create?fromImage=x"), ("POST", "/images/create?fromSrc=-"),
    ("POST", "/images/load"), ("GET", "/images/get?names=x"), ("GET", "/images/search?term=x"),
    ("POST", "/images/prune"), ("GET", "/images/x/json"), ("GET", "/images/x/history"), ("GET", "/images/x/get"),
    ("POST", "/images/x/push"), ("POST", "/images/x/tag?repo=backtalk-sandbox&tag=slim"), ("DELETE", "/images/x"),
    ("GET", "/volumes"), ("POST", "/volumes/create"), ("GET", "/volumes/x"), ("DELETE", "/volumes/x"),
    ("PUT", "/volumes/x"), ("POST", "/volumes/prune"),
    ("GET", "/networks"), ("POST", "/networks/create"), ("GET", "/networks/bridge"), ("DELETE", "/networks/bridge"),
    ("POST", "/networks/host/connect"), ("POST", "/networks/backtalk/connect"),
    ("POST", "/networks/backtalk/disconnect"), ("POST", "/networks/prune"),
    ("POST", "/swarm/init"), ("POST", "/swarm/join"), ("POST", "/swarm/leave?force=1"), ("GET", "/swarm"),
    ("POST", "/swarm/update"), ("POST", "/swarm/unlock"), ("GET", "/swarm/unlockkey"),
    ("GET", "/nodes"), ("GET", "/nodes/x"), ("POST", "/nodes/x/update"), ("DELETE", "/nodes/x"),
    ("GET", "/services"), ("POST", "/services/create"), ("GET", "/services/x/logs"), ("DELETE", "/services/x"),
    ("GET", "/tasks"), ("GET", "/tasks/x/logs"), ("GET", "/secrets"), ("POST", "/secrets/create"),
    ("GET", "/configs"), ("POST", "/configs/create"), ("DELETE", "/configs/x"),
    ("GET", "/plugins"), ("POST", "/plugins/pull?remote=x"), ("POST", "/plugins/create?name=x"),
    ("POST", "/plugins/x/enable"), ("DELETE", "/plugins/x"), ("GET", "/plugins/privileges?remote=x"),
    ("GET", "/info"), ("GET", "/events"), ("GET", "/system/df"), ("POST", "/auth"), ("GET", "/distribution/x/json"),
    ("GET", "/debug/pprof/"), ("GET", "/debug/vars"), ("GET", "/metrics"), ("GET", "/"), ("GET", ""), ("GET", "/v1.41"),
    ("GET", "/v1.41/"), ("GET", "/containers"), ("GET", "/containers/"), ("POST", "/containers"),
]


def janitor_targets(rig):
    """(method, target): what has no place at the janitor's door, beside what has none at either."""
    yield "POST", CREATE
    yield "POST", f"{AT}/start"
    yield "POST", f"/v1.41{AT}/start"
    yield "POST", f"{AT}/rename?name={NAME}"
    yield "POST", ATTACH
    yield "POST", f"/networks/{rig.network}/connect"
    foreign = f"/containers/{rig.foreign}"
    top = "top?ps_args=-eo%20pid,etimes,args%20--sort=-etimes"
    stats = "stats?stream=false&one-shot=true"
    yield "POST", f"{foreign}/stop?t=5"
    yield "DELETE", f"{foreign}?force=1&v=1"
    for what in ("json?size=1", stats, top):
        yield "GET", f"{foreign}/{what}"
        yield "POST", f"{AT}/{what}"
        yield "GET", f"{AT}/{what}&x=1"
    for what in ("json?size=0", "json?size=1&size=0", "json?Size=1", "top", "top?ps_args=-ef", "top?ps_args=",
                 top.replace("pid", "pid,cmd"), top + "%20-o%20x", top.replace("%20", "+"),
                 "top?ps_args=-eo%20pid,etimes,args%20--sort=-etimes;id", "stats", "stats?stream=false",
                 "stats?stream=true&one-shot=true", "stats?one-shot=true&stream=false"):
        yield "GET", f"{AT}/{what}"


def connect_bodies(rig):
    """(what, target, body): a sandbox is connected to the sandboxes' network, by that name alone."""
    at = f"/networks/{rig.network}"
    good = f'{{"Container":"{NAME}"}}'
    for network in ("bridge", "host", "none", rig.network + "x", rig.network.upper(), f"x/../{rig.network}"):
        yield f"to {network}", f"/networks/{network}/connect", good
    yield "disconnect", f"{at}/disconnect", good
    yield "a query", f"{at}/connect?x", good
    for what, body in {
        "a foreign container": f'{{"Container":"{rig.foreign}"}}',
        "a container's id": f'{{"Container":"{"0" * 64}"}}',
        "no container": "{}",
        "no body": "",
        "settings beside it": f'{{"Container":"{NAME}","EndpointConfig":{{"IPAddress":"10.0.0.1"}}}}',
        "two containers": f'{{"Container":"{NAME}","Container":"{rig.foreign}"}}',
        "another case": f'{{"container":"{NAME}"}}',
        "a line end after it": good + "\n",
        "a NUL after it": good + "\0",
        "a second document": good + '{"Container":"x"}',
        "spaces": good.replace(":", ": "),
        "force": good.replace("}", ',"Force":true}'),
    }.items():
        yield what, f"{at}/connect", body


def refused(rig, what, raw, statuses=(403,), word=None, door=None):
    """Sends it; all answers must be refusals and the engine must have heard nothing (of the word)."""
    got = rig.send(raw, door=door)
    passed = rig.recorder.take()
    good = bool(got) and all(s in statuses for s in got) and passed == b""
    good = good or (word is not None and passed != b"" and word not in passed.lower())
    ok(good, f"refused: {what}", f"answers {got}, wanted one of {statuses}; the engine saw {passed[:300]!r}")


def second_requests(rig, good):
    """A forbidden request after an admitted one on the same connection."""
    evil = good.replace('"Privileged":false', '"Privileged":true')
    for what, first, second in (
        ("exec after ping", request("GET", "/_ping"), request("POST", f"{AT}/exec", "{}")),
        ("privileged create after ping", request("GET", "/_ping"), request("POST", CREATE, evil)),
        ("images after version", request("GET", "/version"), request("GET", "/images/json")),
        ("start of a foreign one after inspect", request("GET", f"{AT}/json"),
         request("POST", f"/containers/{rig.foreign}/start")),
        ("create after attach to nothing", request("POST", ATTACH, None, HIJACK), request("POST", CREATE, evil)),
    ):
        for how in ("in one packet", "after the first answer"):
            got = []
            with connect(rig.socket, 3) as s:
                reader = Reader(s)
                s.sendall(first + second if how == "in one packet" else first)
                got.append(reader.answer().status)
                try:
                    if how != "in one packet":
                        s.sendall(second)
                    answer = reader.answer()
                    got.append(answer.status if answer else 403)
                except OSError:
                    got.append(403)  # closed or left unanswered: refused too
            passed = rig.recorder.take()
            target = second.split(b" ")[1]
            ok(got[0] in (200, 404) and got[1] == 403 and target not in passed,
               f"second request, {how}: {what}", f"answers {got}; the engine saw {passed[:300]!r}")


def tunnel(rig, good):
    """What follows an attach is the sandbox's input, never a request."""
    name = new_name()
    rig.ask("POST", f"/containers/create?name={name}", good)
    rig.ask("POST", f"/containers/{name}/start")
    evil = request("POST", CREATE, good) + request("GET", "/info")
    with connect(rig.socket, 2) as s:
        s.sendall(request("POST", f"/containers/{name}/attach?stream=1&stdin=1&stdout=1&stderr=1", None, HIJACK))
        reader = Reader(s)
        same(reader.answer().status in (101, 200), True, "attach for the tunnel")
        s.sendall(evil)
        try:
            while reader.more():
                pass
        except OSError:
            pass  # silence: nobody answers
        ok(b"HTTP/1." not in reader.held, "requests sent into an attached stream are not answered", reader.held)
    ok(f"/{NAME}" not in rig.names(), "and not carried out")
    rig.ask("DELETE", f"/containers/{name}?force=1&v=1")


def h2(rig):
    """The HTTP/2 preface is not a way round the rules."""
    rig.recorder.take()
    with connect(rig.socket, 3) as s:
        s.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0")
        got = b""
        try:
            while data := s.recv(65536):
                got += data
        except OSError:
            pass
    ok(got[3:4] != b"\4" and rig.recorder.take() == b"", "refused: HTTP/2 by preface", got)


def check(rig):
    good = rig.body()
    before = rig.names()
    rig.recorder.take()
    for what, body in (*changed_bodies(good), *disguised_bodies(good)):
        refused(rig, f"create, {what}", request("POST", CREATE, body))
    for what, *message in odd_messages(good):
        refused(rig, what, *message)
    for method, target in other_targets(rig):
        body = good if target.startswith("/containers/create") and method not in ("GET", "HEAD") else None
        refused(rig, f"{method} {target}", request(method, target, body), (400, 403) if not target.startswith("/") or
                any(c in target for c in "#\\") or method == "CONNECT" else (403,))
        if target != f"{AT}/json?size=1":
            refused(rig, f"the janitor's door: {method} {target}", request(method, target, body), (400, 403),
                    door=rig.janitor)
    for method, target in janitor_targets(rig):
        body = good if method == "POST" and target == CREATE else None
        raw = request(method, target, body, HIJACK if target == ATTACH else ())
        refused(rig, f"the janitor's door: {method} {target}", raw, door=rig.janitor)
    for what, target, body in connect_bodies(rig):
        refused(rig, f"connect, {what}", request("POST", target, body))
    for verb in (f"{AT}/stop?t=5", f"{AT}?force=1&v=1"):
        method = "DELETE" if "force" in verb else "POST"
        refused(rig, f"the janitor's door: a body for {verb}", request(method, verb, "{}"), door=rig.janitor)
    for verb in ("stats?stream=false&one-shot=true", "top?ps_args=-eo%20pid,etimes,args%20--sort=-etimes"):
        refused(rig, f"GET {AT}/{verb}", request("GET", f"{AT}/{verb}"))
    second_requests(rig, good)
    tunnel(rig, good)
    h2(rig)
    same(rig.names(), before, "no container of ours or of another installation came or went")
    log = rig.log.read_text()
    ok("verdict=refused" in log and "/containers/prune" in log, "what was refused is in the log")
    ok("Privileged" not in log, "bodies are not in the log")
