"""What stands around a sandbox: a LAN, an internet and a host with servers, in network namespaces."""

import contextlib
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PORT = 18000 + os.getpid() % 1000
PART = os.getpid() % 250 + 1
# no two runs at a time have the same addresses
LAN = f"10.213.{PART}.2"
PUBLIC = f"192.88.99.{PART}"  # a LAN with addresses that are not private
CARRIER = f"100.127.77.{PART}"
LINK_LOCAL = f"169.254.77.{PART}"
FAR = f"198.51.100.{PART}"
LAN_6, FAR_6 = f"fd13:{PART:x}::2", f"2001:db8:{PART:x}::10"


def sh(*argv, check=True):
    return subprocess.run([str(a) for a in argv], check=check, capture_output=True, text=True)


class Near:
    """open() makes it, close() takes all of it away again."""

    def __init__(self, image):
        self.image = image
        self.lan, self.far = f"bt-lan-{os.getpid()}", f"bt-far-{os.getpid()}"
        self.published = f"bt-escape-{os.getpid()}"
        self.network = os.environ["BACKTALK_NETWORK"]
        self.undo = contextlib.ExitStack()

    def namespace(self, name, link, host4, there4, host6, there6):
        """A namespace with a cable to this host."""
        sh("ip", "netns", "add", name)
        self.undo.callback(sh, "ip", "netns", "delete", name, check=False)
        sh("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name)
        sh("ip", "address", "add", host4, "dev", link)
        sh("ip", "-6", "address", "add", host6, "dev", link, "nodad")
        sh("ip", "link", "set", link, "up")
        for argv in (("ip", "link", "set", "lo", "up"), ("ip", "link", "set", "eth0", "up"),
                     ("ip", "address", "add", there4, "dev", "eth0"),
                     ("ip", "-6", "address", "add", there6, "dev", "eth0", "nodad"),
                     ("ip", "route", "add", "default", "via", host4.split("/")[0]),
                     ("ip", "-6", "route", "add", "default", "via", host6.split("/")[0])):
            self.inside(name, *argv)

    @staticmethod
    def inside(name, *argv):
        return sh("nsenter", f"--net=/run/netns/{name}", *argv)

    def serve(self, *way):
        """A server of serve.py that answers by the time this returns."""
        server = subprocess.Popen([*way, sys.executable, HERE / "serve.py", str(PORT)], stdout=subprocess.PIPE,
                                  text=True)
        self.undo.callback(server.wait)
        self.undo.callback(server.terminate)
        if server.stdout.readline() != "ready\n":
            raise RuntimeError("serve.py does not start")
        return server

    def open(self):
        # the LAN: private, public, carrier and link-local addresses on one cable
        self.namespace(self.lan, f"btl{os.getpid()}", f"10.213.{PART}.1/24", f"{LAN}/24", f"fd13:{PART:x}::1/64",
                       f"{LAN_6}/64")
        for address in (PUBLIC, CARRIER, LINK_LOCAL):
            self.inside(self.lan, "ip", "address", "add", f"{address}/32", "dev", "eth0")
            sh("ip", "route", "add", f"{address}/32", "dev", f"btl{os.getpid()}")
        # the internet: an address behind a router
        self.namespace(self.far, f"btf{os.getpid()}", f"10.214.{PART}.1/30", f"10.214.{PART}.2/30",
                       f"fd14:{PART:x}::1/64", f"fd14:{PART:x}::2/64")
        self.inside(self.far, "ip", "address", "add", f"{FAR}/32", "dev", "lo")
        # so that answers to datagrams come from there
        self.inside(self.far, "ip", "route", "change", f"10.214.{PART}.0/30", "dev", "eth0", "src", FAR)
        self.inside(self.far, "ip", "-6", "address", "add", f"{FAR_6}/128", "dev", "lo", "nodad")
        sh("ip", "route", "add", f"{FAR}/32", "via", f"10.214.{PART}.2")
        sh("ip", "-6", "route", "add", f"{FAR_6}/128", "via", f"fd14:{PART:x}::2")
        self.serve()
        for name in (self.lan, self.far):
            self.serve("nsenter", f"--net=/run/netns/{name}")
        # a container of somebody else's, with a port on all addresses of this host
        sh("docker", "run", "-d", "--name", self.published, "--network", "bridge", "--publish", f"{PORT + 1000}:8000",
           "--entrypoint", "python3", self.image, "-m", "http.server", "8000")
        self.undo.callback(sh, "docker", "rm", "-f", "-v", self.published, check=False)
        # the public LAN is new to this host: its range is looked up when the rules are made
        self.rules()

    def rules(self):
        sh(HERE.parents[1] / "sandbox-image/network.sh", "create", self.network)

    def published_address(self):
        return sh("docker", "inspect", "-f", "{{.NetworkSettings.Networks.bridge.IPAddress}}", self.published).stdout.strip()

    def close(self):
        self.undo.close()
        self.rules()


def host_addresses():
    """Of this host, both families; link-local ones mean nothing without an interface."""
    out = sh("ip", "-o", "address").stdout
    return [a for a in re.findall(r"inet6? ([0-9a-f.:]+)/\d+ .*?scope global", out)]
