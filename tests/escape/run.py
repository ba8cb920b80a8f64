"""Two chats of the running stack; from inside the first, as root, everything near is tried: README.md."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "gate"))

import near as nearby  # noqa: E402
import tap  # noqa: E402
from machine import Machine  # noqa: E402
from near import Near, host_addresses, sh  # noqa: E402
from tap import ok, same  # noqa: E402


def expected():
    """README.md's table: what was tried -> (yes, no or either; what is seen)."""
    rows = {}
    for line in (HERE / "README.md").read_text().splitlines():
        if match := re.fullmatch(r"\| (`.*`) \| (yes|no|either)(?:: (.*?))? \| \S.* \|", line):
            for what in re.findall(r"`([^`]*)`", match[1]):
                if what in rows:
                    raise ValueError(f"README.md says {what} twice")
                rows[what] = (match[2], match[3])
    return rows


def inside(machine):
    """Everything that was tried is in the table, and everything in the table was tried."""
    machine.put("inside.py", (HERE / "inside.py").read_text())
    found = json.loads(machine.output("python3 inside.py"))
    table = expected()
    ok(len(table) > 100, "the table of README.md was read", len(table))
    for what, (works, seen) in found.items():
        want, words = table.pop(what, ("a row in README.md", None))
        good = want == "either" or (want == ("yes" if works else "no") and (words is None or words == seen))
        ok(good, f"inside: {what}: {want}", f"worked: {works}; seen: {seen}")
    arm = {what for what in table if os.uname().machine == "aarch64" and re.match("32 bits|x32", what)}
    same(set(table) - arm, set(), "nothing else is in the table")


def targets(near, neighbour, own):
    """[name, kind, address, port] of what must be out of reach; own: the addresses of this host."""
    port = nearby.PORT
    places = {"another sandbox": neighbour, "a private address of the LAN": nearby.LAN,
              "a public address of the LAN": nearby.PUBLIC, "a carrier's address": nearby.CARRIER,
              "a link-local address": nearby.LINK_LOCAL, "the LAN over IPv6": nearby.LAN_6,
              "the internet over IPv6": nearby.FAR_6}
    gateway = sh("docker", "network", "inspect", "-f", "{{(index .IPAM.Config 0).Gateway}}", near.network).stdout.strip()
    for address in own:
        places["the gateway" if address == gateway else f"this host at {address}"] = address
    for place, address in places.items():
        for kind in ("tcp", "udp", "ping"):
            yield [f"{place}, {kind}", kind, address, port]
    for address in own:
        if ":" not in address:
            yield [f"a published port at {address}", "tcp", address, port + 1000]
    yield ["somebody else's container", "tcp", near.published_address(), 8000]


def network(near, attacker, neighbour):
    own = host_addresses()
    wanted = [*targets(near, neighbour.address()[0], own)]
    internet = [[f"the internet, {kind}", kind, nearby.FAR, nearby.PORT] for kind in ("tcp", "udp", "ping")]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump(wanted + internet, f)
        f.flush()
        reached = json.loads(sh(sys.executable, HERE / "reach.py", f.name).stdout)
    # networks of other Docker users may have gone away in the meantime
    gone = set(own) - set(host_addresses())
    wanted = [t for t in wanted if t[2] not in gone]
    for name, *_ in wanted + internet:
        ok(name in reached, f"this host reaches {name}")
    attacker.put("reach.py", (HERE / "reach.py").read_text())
    attacker.put("targets.json", json.dumps(wanted + internet))
    reached = json.loads(attacker.output("python3 reach.py targets.json"))
    for name, *_ in wanted:
        ok(name not in reached, f"a sandbox does not reach {name}")
    for name, *_ in internet:
        ok(name in reached, f"a sandbox reaches {name}")
    ok(attacker.output("getent hosts deb.debian.org").strip(), "names are resolved")
    same(attacker.output("ip -6 address show; ip -6 route show").strip(), "", "no IPv6 address, no IPv6 route")


def everybody(attacker, neighbour):
    """What a sandbox says to all on its network does not arrive; what the host says there does."""
    address, bits = neighbour.address()
    number = int.from_bytes(map(int, address.split(".")), "big") | (1 << 32 - int(bits)) - 1
    whole = ".".join(map(str, number.to_bytes(4, "big")))
    shout = ("import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
             "s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)\n"
             f"for a in ({whole!r}, '255.255.255.255', '239.255.77.1', '224.0.0.1', {address!r}):\n"
             "    try:\n        s.sendto({!r}, (a, %d))\n    except OSError:\n        pass\n" % nearby.PORT)
    attacker.put("shout.py", shout.replace("{!r}", "b'from the sandbox'"))
    attacker.output("python3 shout.py")
    sh(sys.executable, "-c", shout.replace("{!r}", "b'from the host'"))
    heard = neighbour.output("sleep 0.5; cat heard")
    ok("from the host" in heard, "the neighbour's server hears what the host says to all", heard)
    ok("from the sandbox" not in heard, "and nothing of what another sandbox says", heard)


def record():
    """PostgreSQL and the Engine listen on no network at all."""
    got = sh("psql", "-XAtc", "show listen_addresses").stdout.strip()
    same(got, "", "the record listens on its socket only")
    ports = sh("docker", "info", "-f", "{{.Name}}").returncode
    same(ports, 0, "the Engine answers on its socket")
    listening = sh("ss", "-Hltnp").stdout
    ok("dockerd" not in listening, "and listens on no port", listening)


def main():
    near, machines = Near(os.environ["BACKTALK_IMAGE"]), []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        attacker, neighbour = machines[:] = Machine(), Machine()
        near.open()
        neighbour.put("serve.py", (HERE / "serve.py").read_text())
        neighbour.run(f"python3 serve.py {nearby.PORT} > heard 2>&1 &")
        inside(attacker)
        network(near, attacker, neighbour)
        everybody(attacker, neighbour)
        record()
    except (OSError, RuntimeError, ValueError, subprocess.SubprocessError):
        tap.broke("the test ran to its end")
    finally:
        near.close()
        for machine in machines:
            machine.close()
    tap.done()


main()
