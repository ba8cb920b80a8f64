// What models type out of habit, typed as they type it: one machine, one call a habit.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { call, run } from '../e2e/lib/mcp.mjs';
import { conversation } from '../e2e/lib/stack.mjs';

const chat = { conversation: conversation(), timeoutMs: 300_000 };
after(() => call('reset', {}, chat));

// each: what, command, what the result shows, and its exit code when that is not 0
function habits(name, list) {
    describe(name, () => {
        for (const [what, command, shows, code = 0] of list)
            test(what, async () => {
                const { text, exitCode } = await run(command, chat);
                assert.match(text.slice(text.indexOf('\n')), shows, text);
                assert.equal(exitCode, code, text);
            });
    });
}

habits('sudo', [
    ['runs its command', 'sudo id -u', /^0$/m],
    ['with options and an assignment', 'sudo -n -E X=1 sh -c \'echo $X\'', /^1$/m],
    ['an assignment of its caller', 'X=2 sudo -E sh -c \'echo $X\'', /^2$/m],
    ['as another user', 'sudo -u nobody id -un', /^nobody$/m],
    ['as another user, after --', 'sudo -u nobody -- id -un', /^nobody$/m],
    ['with a home', 'sudo -H -u nobody sh -c \'echo $HOME\'', /^\/nonexistent$/m],
    ['keeps the exit code', 'sudo sh -c "exit 7"', /exit code 7/, 7],
    ['an unknown command', 'sudo nothing', /sudo: nothing: command not found/, 1],
    ['cd fails as in sudo', 'sudo cd /', /sudo: cd: command not found/, 1],
    ['-i with a script on its input', 'echo pwd | sudo -i', /^\/root$/m],
    ['-i with a command', 'sudo -i pwd', /^\/root$/m],
    ['-s', 'echo pwd | sudo -s', /^\/work$/m],
    ['su', 'sudo su -c "id -un"', /^root$/m],
    ['in a pipe', 'echo line | sudo tee /etc/habit', /^line$/m],
    ['-l', 'sudo -l', /NOPASSWD: ALL/],
    ['apt-get', 'sudo DEBIAN_FRONTEND=noninteractive apt-get --version', /^apt 3/m],
]);

const wheel = `python3 - <<'E'
import zipfile
with zipfile.ZipFile('habit-1.0-py3-none-any.whl', 'w') as z:
    z.writestr('habit.py', 'print("from a wheel")')
    z.writestr('habit-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: habit\\nVersion: 1.0\\n')
    z.writestr('habit-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    z.writestr('habit-1.0.dist-info/RECORD', '')
E
`;
habits('Python', [
    ['python is python3', 'python --version', /^Python 3\.1/m],
    ['pip install', `${wheel} pip install ./habit-1.0-py3-none-any.whl && python -m habit`,
        /^from a wheel$/m],
    ['... with sudo and pip3', 'sudo -H pip3 install --force-reinstall ./habit-1.0-py3-none-any.whl',
        /Successfully installed habit/],
    ['pip says nothing of root, versions and environments', 'pip install ./habit-1.0-py3-none-any.whl 2>&1 | '
        + 'grep -ciE "warning|notice|externally" || true', /^0$/m],
    ['pip uninstall asks nothing', 'pip uninstall habit', /Successfully uninstalled habit/],
    ['in a virtual environment', 'python3 -m venv v && . v/bin/activate && '
        + 'pip install ./habit-1.0-py3-none-any.whl && python -m habit', /^from a wheel$/m],
    ['output comes at once, in UTF-8', 'python3 -c "print(\'gr\\u00fc\\u00df\')" | cat', /^grüß$/m],
    ['sees its share', 'python3 -c "import os; print(os.cpu_count())"', /^1$/m],
]);

habits('Node', [
    ['npm install -g', 'mkdir -p tool && cd tool && echo \'{"name":"habit-tool","version":"1.0.0","bin":"main.js"}\' '
        + '> package.json && printf \'#!/usr/bin/env node\\nconsole.log("a tool")\\n\' > main.js && '
        + 'npm install -g . && cd / && habit-tool', /^a tool$/m],
    ['npm init asks nothing', 'mkdir -p fresh && cd fresh && npm init', /package\.json/],
    ['npm install in a project', 'cd fresh && npm install ../tool && npx habit-tool', /^a tool$/m],
    ['no colours', 'cd fresh && npm ls 2>&1 | cat -v | grep -c "\\^\\[" || true', /^0$/m],
]);

habits('apt', [
    ['installs without a word before it', 'apt install figlet && figlet -f term hi', /^hi$/m],
    ['apt-get with -y', 'sudo apt-get install -y cron >/dev/null && echo done', /^done$/m],
    ['no warning about scripts', 'apt list --installed 2>&1 | grep -c "stable CLI" || true', /^0$/m],
    ['dpkg finds nothing half done', 'dpkg --audit && echo sound', /^sound$/m],
]);

const unit = `cat > /etc/systemd/system/mine.service <<'E'
[Service]
Environment=WORD=hello
User=bob
WorkingDirectory=/tmp
ExecStart=/bin/sh -c "echo $WORD as $(id -un); exec sleep 1000"
E
`;
habits('services', [
    ['su and a new user', 'useradd -m bob && su - bob -c "id -un; pwd"', /^bob\n\/home\/bob$/m],
    ['what apt brought can be restarted', 'systemctl restart cron && systemctl is-active cron', /^active$/m],
    ['service ... status', 'service cron status', /cron/],
    ['systemctl status', 'systemctl status cron', /Active: active \(running\)/],
    ['enable --now of a unit of its own', `${unit} systemctl daemon-reload && sudo systemctl enable --now mine && `
        + 'systemctl is-active mine.service', /^active$/m],
    ['journalctl -u', 'sudo journalctl -u mine -n 1 --no-pager', /^hello as bob$/m],
    ['restart', 'systemctl restart mine && systemctl status mine', /Active: active/],
    ['stop', 'systemctl stop mine; systemctl is-active mine', /^inactive$/m, 3],
    ['is-enabled', 'systemctl is-enabled mine', /^enabled$/m],
    ['list-units', 'systemctl list-units --type=service --no-pager', /^cron\.service +running$/m],
    ['list-unit-files', 'systemctl list-unit-files', /^mine\.service +enabled$/m],
    ['an unknown service', 'systemctl start nothing', /Unit nothing\.service not found/, 5],
    ['a verb that makes no sense here', 'systemctl isolate rescue', /no systemd here.*service NAME/, 1],
    ['a process of another user can be ended', 'su bob -c "sleep 99 >/dev/null 2>&1 &"; pkill -u bob sleep', /exit code 0/],
    ['a port below 1024', 'python3 -c \'import socket; socket.socket().bind(("", 80)); print("bound")\'', /^bound$/m],
    ['ping', 'ping -c 1 -W 2 127.0.0.1 | tail -n 2', /1 received/],
]);

habits('editors and pagers', [
    ['nano says what to use', 'nano notes.txt', /write_file/, 1],
    ['vim too', 'vim notes.txt', /sed -i/, 1],
    ['vi too', 'sudo vi /etc/hosts', /write_file/, 1],
    ['less prints', 'seq 3 | less', /^1\n2\n3$/m],
    ['more prints', 'seq 3 > three && more three', /^1\n2\n3$/m],
    ['man says what has the text', 'man 1 tar', /tar --help/, 16],
]);

habits('git', [
    ['commits without asking who you are', 'git init r && cd r && echo 1 > f && git add . && git commit -m one && '
        + 'git log --format="%an on %D"', /^sandbox on HEAD -> main$/m],
    ['says nothing about branch names', 'git init r2 2>&1 | grep -c hint || true', /^0$/m],
    ['opens no editor', 'cd r && git commit --allow-empty', /git commit -m/, 1],
    ['no pager, no colours', 'cd r && git log -p | cat -v | grep -c "\\^\\[" || true', /^0$/m],
    ['merges without an editor', 'cd r && git checkout -q -b b && git commit -q --allow-empty -m two && '
        + 'git checkout -q main && git merge --no-ff b', /Merge made/],
]);

habits('text and colours', [
    ['the locale is UTF-8', 'locale charmap', /^UTF-8$/m],
    ['en_US.UTF-8 is there', 'LC_ALL=en_US.UTF-8 perl -e "print 1" 2>&1', /^1$/m],
    ['sort and awk count characters', 'printf "é\\n" | awk "{ print length }"', /^1$/m],
    ['ls and grep do not colour', 'ls / | cat -v | grep -c "\\^\\[" || true', /^0$/m],
    ['gcc does not colour', 'echo "int main(void) { x; }" > bad.c; gcc bad.c 2>&1 | grep -c $\'\\e\' || true', /^0$/m],
]);

habits('what the machine has', [
    ['free', 'free -m', /^Mem: +256 /m],
    ['free -h', 'free -h', /^Mem: +256Mi /m],
    ['nproc', 'nproc', /^1$/m],
    ['its versions', 'head -n 2 /etc/backtalk-image', /^product (slim|full)\ndebian 13/m],
    ['an index of commands', 'grep "^tshark " /usr/share/backtalk/commands', /^tshark tshark$/m],
    ['of headers', 'grep "^zlib.h " /usr/share/backtalk/headers', /^zlib\.h zlib1g-dev$/m],
    ['of libraries', 'grep "^sqlite3 " /usr/share/backtalk/libraries', /^sqlite3 libsqlite3-dev$/m],
    ['of modules', 'grep "^numpy " /usr/share/backtalk/modules', /^numpy python3-numpy$/m],
    ['of packages', 'grep "^nginx " /usr/share/backtalk/packages', /^nginx nginx$/m],
    ['the index is small', 'du -sm /usr/share/backtalk | cut -f 1 | tr -d "\\n"', /\b[1-9]$/m],
]);

habits('walls', [
    ['mount is refused', 'mount -t tmpfs x /mnt', /permission denied|must be superuser|not permitted/i, 32],
    ['devices are refused', 'mknod /tmp/d b 8 0', /not permitted/, 1],
]);
