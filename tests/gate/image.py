"""The image, tried inside a sandbox as the worker makes it: every language of languages.json, the
habits, and that a package can be installed and its service started.

languages/ID/ has three programs for each row: `hello` prints hello, `stdin` prints the sum of the
numbers on its input, `broken` does not compile (or parse)."""

import json
import subprocess
from pathlib import Path

from network import docker
from rig import IMAGE, ROOT, new_name
from tap import ok, same

HERE = Path(__file__).resolve().parent


class Box:
    def __init__(self, rig):
        self.name = new_name()
        made = rig.direct("POST", f"/containers/create?name={self.name}", rig.body())
        if made.status != 201:
            raise RuntimeError(made)
        rig.direct("POST", f"/containers/{self.name}/start")

    def run(self, script, stdin="", timeout=240):
        """A script in bash: (exit code, output, errors)."""
        got = subprocess.run(
            ["docker", "exec", "-i", self.name, "bash", "-c", script],
            input=stdin, capture_output=True, text=True, timeout=timeout, check=False,
        )
        return got.returncode, got.stdout, got.stderr


def languages(box):
    rows = json.loads((ROOT / "sandbox-image/languages.json").read_text())
    known = {p.name for p in (HERE / "languages").iterdir()}
    same(known, {row["id"] for row in rows}, "a folder of programs for each language, and no other")
    files = [row["file"] for row in rows]
    same(len(set(files)), len(files), "each language saves under a name of its own")
    for row in rows:
        for program in ("hello", "stdin", "broken"):
            language(box, row, program)


def language(box, row, program):
    source = (HERE / "languages" / row["id"] / program).read_text()
    box.run(f"cat > /work/{row['file']}", source)

    def words(argv):
        filled = [w.replace("{file}", f"/work/{row['file']}").replace("{dir}", "/work") for w in argv]
        return " ".join(f"'{w}'" for w in filled)

    script = " && ".join(words(argv) for argv in (row["compile"], row["run"]) if argv)
    code, out, err = box.run(f"cd /work && {script}", "1 2 3\n4\n")
    if program == "broken":
        ok(code not in (0, 126, 127) and out == "" and err, f"{row['id']}: broken is refused with words", (code, out, err))
    else:
        same((code, out, err), (0, {"hello": "hello\n", "stdin": "10\n"}[program], ""), f"{row['id']}: {program}")


def habits(box):
    for what, script, want in (
        ("sudo", "sudo id -u", "0\n"),
        ("sudo with options and a variable", "sudo -n -E X=1 sh -c 'echo $X'", "1\n"),
        ("sudo as another user", "sudo -u nobody id -un", "nobody\n"),
        ("sudo keeps the exit code", "sudo sh -c 'exit 7'; echo $?", "7\n"),
        ("sudo of an unknown command", "sudo nothing 2>&1; echo $?", "sudo: nothing: command not found\n1\n"),
        ("sudo cd fails as sudo's does", "sudo cd / 2>&1; echo $?", "sudo: cd: command not found\n1\n"),
        ("sudo -i and a script on stdin", "echo pwd | sudo -i", "/root\n"),
        ("python is python3", "python -c 'import sys; print(sys.version_info[0])'", "3\n"),
        ("python sees its share", "python3 -c 'import os; print(os.cpu_count())'", "1\n"),
        ("a virtual environment", "python3 -m venv /tmp/v && /tmp/v/bin/pip --version | cut -d ' ' -f 1", "pip\n"),
        ("no editor waits", "cd /tmp && git init -q e && cd e && git commit --allow-empty >/dev/null 2>&1; echo $?", "1\n"),
        ("git commits with a message", "cd /tmp/e && git commit -q --allow-empty -m x && git log --format=%an", "sandbox\n"),
        ("free shows this machine", "free -m | awk '$1 == \"Mem:\" { print $2 }'", "256\n"),
        ("and its swap", "free -m | awk '$1 == \"Swap:\" { print $2 == 768 || $2 == 0 }'", "1\n"),
        ("su", "useradd -m bob && su - bob -c 'id -un; pwd'", "bob\n/home/bob\n"),
        ("a user's process can be ended", "su bob -c 'sleep 99 >/dev/null 2>&1 &'; pkill -u bob sleep; echo $?", "0\n"),
        ("a port below 1024", "python3 -c 'import socket; socket.socket().bind((\"\", 80)); print(1)'", "1\n"),
        ("ping", "ping -c 1 -W 2 127.0.0.1 >/dev/null; echo $?", "0\n"),
        ("mount is refused", "mount -t tmpfs x /mnt 2>/dev/null; test $? -ne 0; echo $?", "0\n"),
        ("devices are refused", "mknod /tmp/d b 8 0 2>/dev/null; test $? -ne 0; echo $?", "0\n"),
        ("the locale", "locale charmap; LC_ALL=en_US.UTF-8 perl -e 'print 1' 2>&1", "UTF-8\n1"),
    ):
        code, out, err = box.run(script)
        ok(out == want, f"habit: {what}", f"{out!r} and {err!r} ({code})\nwant {want!r}")


UNIT = """[Service]
Environment=WORD=hello
User=bob
WorkingDirectory=/tmp
ExecStart=/bin/sh -c "echo $WORD as $(id -un); exec sleep 1000"
"""


def services(box):
    box.run("cat > /etc/systemd/system/mine.service", UNIT)
    for verb, want in (("daemon-reload", 0), ("enable --now mine", 0), ("is-active mine", 0), ("restart mine", 0),
                       ("status mine.service", 0), ("stop mine", 0), ("is-active -q mine", 3), ("start nothing", 5)):
        code, out, err = box.run(f"systemctl {verb}")
        same(code, want, f"systemctl {verb}") or ok(False, "its words", out + err)
    out = box.run("journalctl -u mine -n 1")[1]
    ok("hello as bob" in out, "journalctl shows what the unit printed", out)
    code, out, err = box.run("apt install cron figlet")
    same(code, 0, "apt install, without an update before it") or ok(False, "its words", out[-500:] + err[-500:])
    same(box.run("service cron status >/dev/null && systemctl restart cron && systemctl is-active cron")[1].splitlines()[-1:],
         ["active"], "the service it brought runs, and can be restarted")
    ok(box.run("figlet -f term hi")[1].strip() == "hi", "the command it brought works")
    same(box.run("dpkg --audit")[:2], (0, ""), "dpkg finds nothing half done")


def labels():
    config = json.loads(docker("image", "inspect", IMAGE)[1])[0]
    inner = config["Config"]
    same(inner["Entrypoint"], ["/usr/local/sbin/backtalk-agent"], "the agent is PID 1")
    same((inner["Cmd"], inner["WorkingDir"], inner["Volumes"], inner["ExposedPorts"] if "ExposedPorts" in inner else None),
         (None, "/work", None, None), "no other command, no volumes, no ports")
    ok(all(inner["Labels"].get(k) for k in ("backtalk.revision", "backtalk.agent", "org.opencontainers.image.licenses")),
       "labels", inner["Labels"])
    ok(config["Size"] < 1100e6, "not over 1.1 GB", config["Size"])


def check(rig):
    labels()
    box = Box(rig)
    out = box.run("cat /etc/backtalk-image")[1]
    ok("debian 13" in out and "python3 3.13" in out, "/etc/backtalk-image says what is in it", out)
    languages(box)
    habits(box)
    services(box)
