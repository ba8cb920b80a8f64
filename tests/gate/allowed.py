"""What a worker needs passes the gate to a real engine, and a sandbox made that way is what the
request says: limits, walls and all, seen from inside."""

import frames
from rig import Reader, connect, new_name, request
from tap import ok, same

ATTACH = "attach?stream=1&stdin=1&stdout=1&stderr=1"


def attach(rig, target):
    """An attached stream: (socket, status, bytes that came with the answer)."""
    sock = connect(rig.socket)
    sock.sendall(request("POST", target, headers=("Connection: Upgrade", "Upgrade: tcp")))
    reader = Reader(sock)
    answer = reader.answer()
    return sock, answer.status, reader.held


def run(rig, prefix, name, script):
    """Standard output of a script run by the agent in the sandbox."""
    sock, _, held = attach(rig, f"{prefix}/containers/{name}/{ATTACH}")
    with sock:
        sock.sendall(frames.command("bash", "-c", script))
        return frames.results(sock, held)[1]


def life(rig, prefix):
    """One sandbox from create to remove, with the requests of the worker."""
    name, other = new_name(), new_name()
    at = f"{prefix}/containers/{name}"
    where = prefix or "no version"

    same(rig.ask("POST", f"{prefix}/containers/create?name={name}", rig.body("m:1")).status, 201,
         f"create ({where})")
    same(rig.ask("POST", f"{prefix}/containers/create?name={name}", rig.body("m:1")).status, 409,
         f"create again: the engine's own answer arrives ({where})")
    sock, status, held = attach(rig, f"{at}/{ATTACH}")
    with sock:
        ok(status in (101, 200), f"attach before start ({where})", status)
        same(rig.ask("POST", f"{at}/start").status, 204, f"start ({where})")
        same(rig.ask("POST", f"{at}/start").status, 304, f"start of a running one ({where})")
        sock.sendall(frames.command("sh", "-c", "echo from $(hostname); id -u"))
        same(frames.results(sock, held)[1], "from sandbox\n0\n",
             f"a command runs over the attached stream ({where})")
    answer = rig.ask("GET", f"{at}/json")
    same((answer.status, answer.json()["Name"]), (200, f"/{name}"), f"inspect ({where})")
    listed = rig.ask("GET", prefix + "/containers/json?all=1&filters=%7B%22label%22%3A%5B%22"
                     f"backtalk.instance%3D{rig.instance}%22%5D%7D")
    made = {n for c in listed.json() for n in c["Names"]}
    ok(f"/{name}" in made and f"/{rig.foreign}" not in made,
       f"list: this installation's, not another's ({where})", made)
    same({c["Labels"]["backtalk.instance"] for c in listed.json()}, {rig.instance},
         f"list: all with our label ({where})")
    same(rig.ask("POST", f"{at}/rename?name={other}").status, 204, f"rename ({where})")
    at = f"{prefix}/containers/{other}"
    same(rig.ask("POST", f"{at}/stop?t=3").status, 204, f"stop with a time ({where})")
    same(rig.ask("POST", f"{at}/stop").status, 304, f"stop of a stopped one ({where})")
    same(rig.ask("DELETE", f"{at}?force=1&v=1").status, 204, f"remove ({where})")
    same(rig.ask("GET", f"{at}/json").status, 404, f"it is gone ({where})")


def limits(rig):
    """The numbers of the request are those the kernel holds the sandbox to."""
    name = new_name()
    rig.ask("POST", f"/containers/create?name={name}", rig.body())
    rig.ask("POST", f"/containers/{name}/start")
    seen = run(rig, "", name, """
        cd /sys/fs/cgroup
        cat memory.max memory/memory.limit_in_bytes 2>/dev/null
        cat pids.max pids/pids.max 2>/dev/null
        cat cpu.max 2>/dev/null || cat cpu/cpu.cfs_quota_us cpu/cpu.cfs_period_us | xargs
        grep -E 'CapBnd|NoNewPrivs|Seccomp:' /proc/self/status | tr '\\t' ' '
        ulimit -c; ulimit -n; nproc
        cat /proc/sys/net/ipv6/conf/eth0/disable_ipv6
        ls /sys/class/net | xargs; awk '$2 ~ "^/" && $1 ~ "^/dev/"' /proc/mounts | cut -d ' ' -f 2 | sort | xargs
        cat /proc/self/oom_score_adj""").splitlines()
    want = [
        ("memory", "268435456"),
        ("processes", "512"),
        ("processor time", "100000 100000"),
        ("capabilities: CHOWN DAC_OVERRIDE FOWNER FSETID KILL SETGID SETUID", "CapBnd: 00000000000000fb"),
        ("no new privileges", "NoNewPrivs: 1"),
        ("seccomp", "Seccomp: 2"),
        ("no core files", "0"),
        ("open files", "4096"),
        ("processors shown", "1"),
        ("IPv6 off", "1"),
        ("network interfaces", "eth0 lo"),
        ("no mounts but the engine's three files", "/etc/hostname /etc/hosts /etc/resolv.conf"),
    ]
    for (what, value), got in zip(want, seen):
        same(got, value, f"inside: {what}")
    ok(int(seen[len(want)]) > 100, "inside: a command is killed before the agent, and that before the host's services", seen)
    host = rig.ask("GET", f"/containers/{name}/json").json()["HostConfig"]
    same((host["Privileged"], host["Binds"], host["Devices"] or [], host["LogConfig"]["Type"]),
         (False, None, [], "none"), "the engine's own record: no privilege, no mounts, no log")
    rig.ask("DELETE", f"/containers/{name}?force=1&v=1")


def streams(rig):
    """An attached stream carries much both ways, and outlives its client."""
    name = new_name()
    rig.ask("POST", f"/containers/create?name={name}", rig.body())
    rig.ask("POST", f"/containers/{name}/start")
    sock, _, _ = attach(rig, f"/containers/{name}/{ATTACH}")
    sock.sendall(frames.command("sleep", "1")[:40])
    sock.close()
    same(run(rig, "", name, "seq 3"), "1\n2\n3\n", "after a client that went away in mid-frame")
    out = run(rig, "", name, "yes | head -c 18000")
    same(len(out), 18000, "18000 bytes of output over the stream")
    rig.ask("DELETE", f"/containers/{name}?force=1&v=1")


SIZE = "json?size=1"
STATS = "stats?stream=false&one-shot=true"
TOP = "top?ps_args=-eo%20pid,etimes,args%20--sort=-etimes"


def janitor(rig, prefix):
    """What the janitor asks through its own door, in a sandbox's life."""
    name = new_name()
    at = f"{prefix}/containers/{name}"
    where = prefix or "no version"
    rig.ask("POST", f"{prefix}/containers/create?name={name}", rig.body())
    rig.ask("POST", f"{at}/start")
    run(rig, prefix, name, "head -c 3000000 /dev/zero >/work/big")
    sized = rig.ask_janitor("GET", f"{at}/{SIZE}").json()
    ok(3000000 <= sized["SizeRw"] < 4000000, f"size ({where})", sized.get("SizeRw"))
    stats = rig.ask_janitor("GET", f"{at}/{STATS}").json()
    ok(stats["cpu_stats"]["cpu_usage"]["total_usage"] > 0, f"processor time ({where})")
    top = rig.ask_janitor("GET", f"{at}/{TOP}").json()
    ok("backtalk-agent" in top["Processes"][0][-1], f"processes ({where})", top)
    same(rig.ask_janitor("GET", f"{at}/json").status, 200, f"inspect ({where})")
    listed = rig.ask_janitor("GET", prefix + "/containers/json?all=1&filters=%7B%22label%22%3A%5B%22"
                             f"backtalk.instance%3D{rig.instance}%22%5D%7D")
    ok(f"/{name}" in {n for c in listed.json() for n in c["Names"]}, f"list ({where})")
    same(rig.ask_janitor("GET", f"{prefix}/_ping").status, 200, f"ping ({where})")
    same(rig.ask_janitor("GET", f"{prefix}/version").status, 200, f"version ({where})")
    same(rig.ask_janitor("POST", f"{at}/stop?t=5").status, 204, f"stop ({where})")
    same(rig.ask_janitor("DELETE", f"{at}?force=1&v=1").status, 204, f"remove ({where})")


def new_network(rig):
    """A stopped sandbox whose network was made again under its name starts once it is connected."""
    name = new_name()
    at = f"/containers/{name}"
    rig.ask("POST", f"/containers/create?name={name}", rig.body())
    rig.ask("POST", f"{at}/start")
    run(rig, "", name, "echo kept >/work/kept")
    rig.ask("POST", f"{at}/stop?t=5")
    for c in rig.direct("GET", "/containers/json").json():
        if rig.network in c["NetworkSettings"]["Networks"]:
            rig.direct("POST", f"/containers/{c['Id']}/stop?t=2")
    for verb in ("remove", "create"):
        made = rig.script("sandbox-image/network.sh", verb, rig.network)
        same(made.returncode, 0, f"network.sh {verb}")
    answer = rig.ask("POST", f"{at}/start")
    ok(answer.status == 404 and b"network " in answer.body, "it remembers the network that is gone", answer)
    same(rig.ask("POST", f"/networks/{rig.network}/connect", f'{{"Container":"{name}"}}').status, 200, "connect")
    same(rig.ask("POST", f"{at}/start").status, 204, "then it starts")
    same(run(rig, "", name, "cat /work/kept; cat /sys/class/net/eth0/operstate"), "kept\nup\n",
         "with its files and a network")
    rig.ask("DELETE", f"{at}?force=1&v=1")


def others(rig):
    """Quick questions, and what the gate does to a request on its way."""
    for prefix in ("", "/v1.41"):
        same(rig.ask("GET", f"{prefix}/_ping").status, 200, f"ping {prefix}")
        ok("ApiVersion" in rig.ask("GET", f"{prefix}/version").json(), f"version {prefix}")
    rig.recorder.take()
    rig.ask("GET", "/_ping", headers=("X-Registry-Auth: e30=", "X-Meta: a", "Cookie: b"))
    passed = rig.recorder.take().lower()
    ok(b"/_ping" in passed and b"x-registry-auth" not in passed and b"cookie" not in passed
       and b"x-meta" not in passed, "headers the engine does not need do not arrive", passed)
    with connect(rig.socket) as s:
        reader = Reader(s)
        for i in range(3):
            s.sendall(request("GET", "/_ping"))
            same(reader.answer().status, 200, f"request {i + 1} of a kept connection")
    body = rig.body("a:b.c_d-9")
    with connect(rig.socket) as s:
        raw = request("POST", f"/containers/create?name={new_name()}", body)
        for i in range(0, len(raw), 100):
            s.sendall(raw[i : i + 100])
        same(Reader(s).answer().status, 201, "a create request that arrives in pieces")
    with connect(rig.socket) as s:
        raw = request("POST", f"/containers/create?name={new_name()}", body, ("Expect: 100-continue",))
        head, _, rest = raw.partition(b"\r\n\r\n")
        s.sendall(head + b"\r\n\r\n")
        reader = Reader(s)
        same(reader.answer().status, 100, "Expect: 100-continue is answered")
        s.sendall(rest)
        same(reader.answer().status, 201, "and the body after it passes")


def socket_rights(rig):
    """Only its owner and group may connect."""
    same(oct(rig.socket.stat().st_mode & 0o777), "0o660", "the gate's socket: owner and group only")
    same(oct(rig.janitor.stat().st_mode & 0o777), "0o660", "the janitor's, too")
    admitted = [line for line in rig.log.read_text().splitlines() if "verdict=admitted" in line]
    same(admitted, [], "nothing that worked is logged")


def check(rig):
    others(rig)
    life(rig, "")
    life(rig, "/v1.41")
    limits(rig)
    streams(rig)
    janitor(rig, "")
    janitor(rig, "/v1.41")
    new_network(rig)
    socket_rights(rig)
