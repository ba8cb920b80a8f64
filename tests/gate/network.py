"""The sandbox network, tried from inside: the internet is there, nothing near is."""

import contextlib
import http.server
import os
import re
import socket
import subprocess
import sys
import threading

from rig import IMAGE, wait_for
from tap import ok, same


class Hello(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def docker(*argv, timeout=90):
    got = subprocess.run(["docker", *argv], capture_output=True, text=True, timeout=timeout)
    return got.returncode, got.stdout.strip(), got.stderr


def serve():
    """A web server of this host, on every address and a free port."""
    server = http.server.ThreadingHTTPServer(("0.0.0.0", 0), Hello)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Pair:
    """Two containers on the network and one on Docker's own, each with a server on port 8000."""

    def __init__(self, rig):
        self.names = [f"{rig.network}-{n}" for n in "abc"]
        for name, network in zip(self.names, (rig.network, rig.network, "bridge")):
            code, _, err = docker(
                "run", "-d", "--name", name, "--network", network, "--cap-drop", "ALL",
                "--label", f"backtalk.gatetest={rig.instance}",
                "--entrypoint", "python3", IMAGE, "-m", "http.server", "8000",
            )
            if code:
                raise RuntimeError(err)
        self.address = [docker("inspect", "-f", "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}", n)[1]
                        for n in self.names]
        for i in range(3):  # the host is let in everywhere: how we know the servers run
            wait_for(f"server of {self.names[i]}", lambda i=i: reachable(self.address[i], 8000))

    def inside(self, script):
        return docker("exec", self.names[0], "bash", "-c", script)

    def http(self, address, port=8000):
        return self.inside(f"curl -s -o /dev/null -m 4 -w '%{{http_code}}' http://{address}:{port}/")[1]


def reachable(address, port):
    try:
        socket.create_connection((address, port), 1).close()
        return True
    except OSError:
        return False


def addresses_of_host():
    out = subprocess.run(["ip", "-4", "-o", "addr"], capture_output=True, text=True, check=True).stdout
    return [a for a in re.findall(r"inet ([0-9.]+)/", out) if not a.startswith("127.")]


def walls(rig, pair):
    server = serve()
    port = server.server_port
    for address in addresses_of_host():
        ok(reachable(address, port), f"the host itself reaches its server at {address}")
        same(pair.http(address, port), "000", f"a sandbox does not ({address})")
    same(pair.http(pair.address[1]), "000", "another sandbox of the network is out of reach")
    same(pair.http(pair.address[2]), "000", "a container of another network is out of reach")
    ok(pair.inside(f"ping -c 1 -W 2 {pair.address[1]}")[0] != 0, "and does not answer a ping")
    for address in ("169.254.169.254", "10.0.0.1", "100.64.0.1", "192.168.1.1", "172.31.255.1"):
        code, _, err = pair.inside(f"curl -sS -m 4 http://{address}/")
        ok(code == 7, f"{address} is refused at once", f"{code} {err}")
    same(pair.inside("cat /proc/sys/net/ipv6/conf/eth0/disable_ipv6")[1], "1", "IPv6 is off inside")
    ok(pair.inside("ip link set eth0 down")[0] != 0, "its interface cannot be changed from inside")
    ok(pair.inside("python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'")[0] != 0,
       "no raw sockets inside")
    server.shutdown()


def outside(pair):
    code, out, err = pair.inside("getent hosts deb.debian.org")
    ok(code == 0 and out, "names are resolved", err)
    code, out, err = pair.inside("curl -s -o /dev/null -m 20 -w '%{http_code}' http://deb.debian.org/debian/dists/trixie/InRelease")
    same(out, "200", "Debian's archive answers")


def exceptions(rig, pair):
    """BACKTALK_NET_ALLOW opens one address and port (here the host's), and closes again."""
    server = serve()
    address, port = addresses_of_host()[0], server.server_port
    allow = {"BACKTALK_NET_ALLOW": f"{address}:{port}"}
    same(rig.script("sandbox-image/network.sh", "create", rig.network, **allow).returncode, 0, "create with an exception")
    same(rig.script("sandbox-image/network.sh", "check", rig.network, **allow).returncode, 0, "check knows it")
    same(pair.http(address, port), "200", "the excepted address and port can be reached")
    other = serve()
    same(pair.http(address, other.server_port), "000", "its other ports cannot")
    same(pair.http(pair.address[1]), "000", "other addresses cannot")
    same(rig.script("sandbox-image/network.sh", "check", rig.network).returncode, 1,
         "check without the setting sees that the rules differ")
    for bad in ("x", "10.0.0.1:http", "10.0.0.1 -j ACCEPT", "10.0.0.1;id", "10.0.0.1/x", "0"):
        got = rig.script("sandbox-image/network.sh", "create", rig.network, BACKTALK_NET_ALLOW=bad)
        ok(got.returncode != 0 and got.stderr, f"an exception that is none is refused: {bad}", got)
    same(rig.script("sandbox-image/network.sh", "create", rig.network).returncode, 0, "create without it")
    same(pair.http(address, port), "000", "and it is closed again")
    server.shutdown()
    other.shutdown()


class Stands:
    """A neighbour and a host of the internet, in a network namespace behind two cables of this host:
    one a private network with a way on to the internet host, one a LAN with public addresses."""

    INTERNET, PUBLIC_LAN = "198.51.100.7", "198.51.100.130" # addresses for documentation: nobody's

    def __init__(self):
        number = os.getpid() % 250
        self.name, self.cables = f"bt-stand-{os.getpid()}", [f"bts{os.getpid() % 99999}{c}" for c in "ab"]
        self.lan, self.server = f"10.213.{number}.2", None
        try:
            self.open(number)
        except BaseException:
            self.close()
            raise

    def open(self, number):
        ip("netns", "add", self.name)
        for cable, mine, theirs in zip(self.cables, (f"10.213.{number}.1/30", "198.51.100.129/30"),
                                       (f"{self.lan}/30", f"{self.PUBLIC_LAN}/30")):
            ip("link", "add", cable, "type", "veth", "peer", "name", "far" + cable[-1], "netns", self.name)
            ip("addr", "add", mine, "dev", cable)
            ip("link", "set", cable, "up")
            ip("-n", self.name, "addr", "add", theirs, "dev", "far" + cable[-1])
            ip("-n", self.name, "link", "set", "far" + cable[-1], "up")
        ip("-n", self.name, "link", "set", "lo", "up")
        ip("-n", self.name, "addr", "add", self.INTERNET, "dev", "lo")
        ip("-n", self.name, "route", "add", "default", "via", f"10.213.{number}.1")
        ip("route", "add", self.INTERNET, "via", self.lan)
        self.server = subprocess.Popen(
            ["nsenter", f"--net=/run/netns/{self.name}", sys.executable, "-m", "http.server", "-d", "/var/empty", "80"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for address in (self.lan, self.INTERNET, self.PUBLIC_LAN):
            wait_for(f"server at {address}", lambda address=address: reachable(address, 80))

    def close(self):
        if self.server:
            self.server.kill()
            self.server.wait()
        for cable in self.cables:
            subprocess.run(["ip", "link", "del", cable], check=False)
        subprocess.run(["ip", "netns", "del", self.name], check=False)


def ip(*argv):
    subprocess.run(["ip", *argv], check=True)


def stand_ins(rig, stands, http, where, **more):
    """What network.sh lets through, with hosts that are surely there."""
    # The cables came after the rules: a LAN with public addresses is known from the next create on.
    same(rig.script("sandbox-image/network.sh", "create", where, **more).returncode, 0, f"create ({more or 'as the Engine works'})")
    ok(http(stands.INTERNET, 80) not in ("000", ""), "a host of the internet answers")
    same(http(stands.lan, 80), "000", "a neighbour with a private address does not")
    same(http(stands.PUBLIC_LAN, 80), "000", "nor one of a LAN with public addresses")


def nftables(rig, stands):
    """The same walls in a table of nftables, for an Engine that works without iptables."""
    name, where = f"{rig.network}-n", {"BACKTALK_FIREWALL": "nftables"}

    def script(verb):
        return rig.script("sandbox-image/network.sh", verb, name, **where)

    def tables():
        return subprocess.run(["nft", "list", "tables", "ip"], capture_output=True, text=True, check=True).stdout

    before = tables()
    same(script("create").returncode, 0, "nftables: create")
    table = (set(re.findall(r"table ip (backtalk_\w+)", tables())) - set(before.split())).pop()
    try:
        same([script(verb).returncode for verb in ("check", "create", "check")], [0] * 3, "nftables: again, and check")
        docker("run", "-d", "--name", name, "--network", name, "--cap-drop", "ALL", "--label",
               f"backtalk.gatetest={rig.instance}", "--entrypoint", "sleep", IMAGE, "600")

        def http(address, port):
            return docker("exec", name, "curl", "-s", "-o", "/dev/null", "-m", "4", "-w", "%{http_code}",
                          f"http://{address}:{port}/")[1]

        stand_ins(rig, stands, http, name, **where)
        server = serve()
        same(http(addresses_of_host()[0], server.server_port), "000", "nftables: the host is out of reach")
        server.shutdown()
        same(docker("exec", name, "getent", "hosts", "deb.debian.org")[0], 0, "nftables: names are resolved")
        subprocess.run(["nft", "flush", "chain", "ip", table, "input"], check=True)
        got = script("check")
        ok(got.returncode == 1 and got.stderr, "nftables: check sees that a rule is missing", got.stderr)
        same([script(verb).returncode for verb in ("create", "check")], [0, 0], "nftables: create puts it right")
    finally:
        docker("rm", "-f", name)
        same(script("remove").returncode, 0, "nftables: remove")
    same(tables(), before, "nftables: no table stays")


def rules(rig):
    """create is idempotent, check sees what is missing, create puts it right."""
    def script(verb, **more):
        return rig.script("sandbox-image/network.sh", verb, rig.network, **more)

    def chains():
        return subprocess.run(["iptables", "-S"], capture_output=True, text=True, check=True).stdout

    same(script("check").returncode, 0, "check after create")
    before = chains()
    same((script("create").returncode, chains()), (0, before), "create again changes nothing")
    for what, damage in {
        "a rule is missing": ["-D", hook_of(before, "DOCKER-USER", rig)[-1], "2"],
        "the hook in DOCKER-USER is missing": ["-D", "DOCKER-USER", *hook_of(before, "DOCKER-USER", rig)],
        "the hook in INPUT is missing": ["-D", "INPUT", *hook_of(before, "INPUT", rig)],
        "something stands before the hook": ["-I", "INPUT", "1", "-i", interface(rig), "-j", "ACCEPT"],
    }.items():
        subprocess.run(["iptables", "-w", *damage], check=True)
        got = script("check")
        ok(got.returncode == 1 and got.stderr, f"check sees that {what}", got.stderr)
        script("create")
        same(script("check").returncode, 0, f"create puts it right: {what}")
    subprocess.run(["iptables", "-w", "-D", "INPUT", "-i", interface(rig), "-j", "ACCEPT"], check=False)
    other = rig.network + "-2"
    same([rig.script("sandbox-image/network.sh", verb, name).returncode for verb, name in (
        ("create", other), ("check", other), ("check", rig.network), ("remove", other), ("check", rig.network))],
         [0] * 5, "two networks stand side by side")
    ok(other not in docker("network", "ls", "--format", "{{.Name}}")[1].split(), "remove removes the network")
    ok(chains().count("-j BT-FORWARD-") == before.count("-j BT-FORWARD-"), "and its rules")
    same(script("remove").returncode, 1, "remove refuses while containers are on it")
    same(script("check").returncode, 0, "and changes nothing then")
    ok(script("create", BACKTALK_NETWORK="x").returncode == 0, "a name on the command line counts before the setting")
    for bad in ("", "-x", "a b", "../x", "host;id"):
        ok(rig.script("sandbox-image/network.sh", "create", bad or " ").returncode != 0, f"no network is named {bad!r}")
    ok(rig.script("sandbox-image/network.sh", "create", "bridge").returncode != 0, "Docker's own network is left alone")


def interface(rig):
    return docker("network", "inspect", "-f", '{{index .Options "com.docker.network.bridge.name"}}', rig.network)[1]


def hook_of(listing, chain, rig):
    return re.search(rf"^-A {chain} (-i {interface(rig)} -j \S+)$", listing, re.M)[1].split()


def check(rig):
    pair = Pair(rig)
    walls(rig, pair)
    outside(pair)
    exceptions(rig, pair)
    with contextlib.closing(Stands()) as stands:
        stand_ins(rig, stands, pair.http, rig.network)
        nftables(rig, stands)
    same(rig.script("sandbox-image/network.sh", "create", rig.network).returncode, 0, "create without the stand-ins")
    rules(rig)
