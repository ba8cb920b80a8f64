"""A chat of the running stack: its machine is made by the worker, commands go through the tools."""

import json
import os
import re
import subprocess
import urllib.request
import uuid


class Machine:
    def __init__(self):
        self.chat, self.last = str(uuid.uuid4()), 0
        # the engine's number of it stands in its own mounts
        text = self.run("grep -oE '[0-9a-f]{64}/hostname' /proc/self/mountinfo | head -n 1")
        self.container = re.search(r"^([0-9a-f]{64})/hostname$", text, re.M)[1]

    def call(self, tool, **arguments):
        """The text of a tool's result."""
        self.last += 1
        question = urllib.request.Request(
            os.environ["BACKTALK_URL"],
            json.dumps({"jsonrpc": "2.0", "id": self.last, "method": "tools/call",
                        "params": {"name": tool, "arguments": arguments}}).encode(),
            {"Content-Type": "application/json", "Accept": "application/json",
             "Authorization": f"Bearer {os.environ['BACKTALK_KEY']}", "MCP-Protocol-Version": "2025-11-25",
             "X-Conversation-Id": self.chat})
        with urllib.request.urlopen(question, timeout=120) as answer:
            return json.load(answer)["result"]["content"][0]["text"]

    def run(self, command):
        return self.call("run", command=command)

    def put(self, name, text):
        self.call("write_file", path=name, content=text)

    def output(self, command):
        """All that a command prints: the tools shorten it, so it comes by way of a file."""
        said = self.run(f"{command} > /work/output")
        got = subprocess.run(["docker", "exec", self.container, "cat", "/work/output"], capture_output=True, text=True,
                             check=True).stdout
        if not re.search(r"^exit code 0 ", said, re.M):
            raise RuntimeError(said)
        return got

    def address(self):
        return subprocess.run(
            ["docker", "inspect", "-f", "{{range .NetworkSettings.Networks}}{{.IPAddress}} {{.IPPrefixLen}}{{end}}",
             self.container], capture_output=True, text=True, check=True).stdout.split()

    def close(self):
        subprocess.run(["docker", "rm", "-f", "-v", self.container], capture_output=True, check=False)
