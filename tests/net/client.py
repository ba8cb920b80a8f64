"""Members of the running stack and their requests, byte for byte."""

import json
import re
import socket
import subprocess
import uuid

from rig import Reader


def psql(query, **values):
    words = [w for name, value in values.items() for w in ("-v", f"{name}={value}")]
    return subprocess.run(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", *words], input=query, capture_output=True,
                          text=True, check=True).stdout.strip()


def body(tool="run", **arguments):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                       "params": {"name": tool, "arguments": arguments}}).encode()


class Member:
    """A member (or, with front_end, a front end) with a key and a chat; removed at the end."""

    def __init__(self, web, name, front_end=False):
        self.web, self.name, self.chat = web, name, str(uuid.uuid4())
        if front_end:
            self.key = psql("select backtalk.new_front_end_key(:'name', 'test')", name=name)
        else:
            psql("select backtalk.new_member(:'name')", name=name)
            self.key = psql("select backtalk.new_key(:'name', 'test')", name=name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for container in psql("""select s.container from backtalk.sandbox s join backtalk.member m on m.id = s.member_id
                where (m.name = :'name' or m.name like :'name' || ':%') and s.state <> 'removed'""",
                              name=self.name).split():
            subprocess.run(["docker", "rm", "-f", "-v", container], capture_output=True, check=False)

    def headers(self, chat=None):
        return [f"Authorization: Bearer {self.key}", f"X-Conversation-Id: {chat or self.chat}",
                "MCP-Protocol-Version: 2025-11-25", "Accept: application/json", "Content-Type: application/json"]

    def send(self, content, headers=(), target="/mcp", chat=None, source="127.0.0.1", own=None):
        """One request: (status, text). own: headers in place of the member's."""
        lines = [f"POST {target} HTTP/1.1", "Host: test", "Connection: close",
                 *(self.headers(chat) if own is None else own), *headers, f"Content-Length: {len(content)}"]
        raw = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + content
        with socket.create_connection(("127.0.0.1", self.web.plain), 60, (source, 0)) as s:
            s.sendall(raw)
            answer = Reader(s).answer("POST")
        return (answer.status, answer.body.decode()) if answer else (None, "")

    def machine(self, **how):
        """The machine that a request ends in, or None when it ends in none."""
        status, text = self.send(body(command="grep -oE '[0-9a-f]{64}/hostname' /proc/self/mountinfo | head -n 1"), **how)
        found = re.search(r"([0-9a-f]{64})/hostname", text)
        return found[1] if status == 200 and found else None
