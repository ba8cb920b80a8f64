"""Runs as root inside a sandbox and tries what it should not be able to do. Prints one JSON object:
what was tried -> [whether it worked, the error or what was seen]. README.md says of each whether it
should work. Everything is tried on the sandbox's own things, so that a success does no harm."""

import ctypes
import errno
import fcntl
import json
import mmap
import os
import re
import socket
import struct
import subprocess

libc = ctypes.CDLL(None, use_errno=True)
found = {}

NUMBERS = {  # x86-64, arm64
    "acct": (163, 89), "add_key": (248, 217), "adjtimex": (159, 171), "bpf": (321, 280),
    "clock_settime": (227, 112), "delete_module": (176, 106), "fanotify_init": (300, 262),
    "finit_module": (313, 273), "fsopen": (430, 430), "init_module": (175, 105),
    "io_uring_setup": (425, 425), "kcmp": (312, 272), "kexec_load": (246, 104), "keyctl": (250, 219),
    "landlock_create_ruleset": (444, 444), "memfd_create": (319, 279), "mount": (165, 40),
    "mount_setattr": (442, 442), "move_mount": (429, 429), "move_pages": (279, 239),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "open_tree": (428, 428),
    "perf_event_open": (298, 241), "personality": (135, 92), "pidfd_getfd": (438, 438),
    "pidfd_open": (434, 434), "pivot_root": (155, 41), "process_vm_readv": (310, 270),
    "ptrace": (101, 117), "quotactl": (179, 60), "reboot": (169, 142), "request_key": (249, 218),
    "seccomp": (317, 277), "setdomainname": (171, 162), "sethostname": (170, 161), "setns": (308, 268),
    "settimeofday": (164, 170), "swapon": (167, 224), "syslog": (103, 116), "umount2": (166, 39),
    "unshare": (272, 97), "userfaultfd": (323, 282), "vhangup": (153, 58),
}
ARM = os.uname().machine == "aarch64"


def call(name, *args):
    """A system call; OSError when it fails."""
    result = libc.syscall(ctypes.c_long(NUMBERS[name][ARM]), *args)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def n(value):
    return ctypes.c_long(value)


def attempt(what, action):
    """Notes whether the action worked. One that returns False or None in place of raising did not."""
    try:
        result = action()
        found[what] = [bool(result) if result is not None else True, str(result)[:300]]
    except OSError as e:
        found[what] = [False, errno.errorcode.get(e.errno, str(e))]


def in_child(action):
    """The action in a process of its own: what it does to itself ends there."""
    pid = os.fork()
    if pid == 0:
        try:
            action()
            os._exit(0)
        except OSError as e:
            os._exit(e.errno)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code:
        raise OSError(code if code > 0 else errno.ENOSYS, "")  # below 0: killed for trying
    return True


def opened(path, flags=os.O_RDONLY):
    os.close(os.open(path, flags))
    return True


def written(path, text):
    with open(path, "w", encoding="ascii") as f:
        f.write(text)
    return True


def rewritten(path):
    """What a setting says is written back to it."""
    with open(path, encoding="ascii") as f:
        text = f.read()
    return written(path, text)


# ---- namespaces, mounts, devices ----------------------------------------------------------------

def namespaces():
    for name, flag in (("user", 0x10000000), ("mount", 0x20000), ("pid", 0x20000000), ("network", 0x40000000),
                       ("uts", 0x4000000), ("ipc", 0x8000000), ("cgroup", 0x2000000), ("time", 0x80)):
        attempt(f"unshare: {name} namespace", lambda flag=flag: in_child(lambda: call("unshare", n(flag))))
    for name in ("mnt", "net", "pid"):
        attempt(f"setns: {name} namespace of another process", lambda name=name: in_child(lambda: entered(name)))


def entered(name):
    for process in ("1", "self"):
        try:
            with open(f"/proc/{process}/ns/{name}", "rb") as f:
                return call("setns", n(f.fileno()), n(0))
        except OSError as e:
            failure = e
    raise failure


def mounts():
    os.makedirs("/tmp/m", exist_ok=True)
    for what, args in {
        "mount: tmpfs": (b"none", b"/tmp/m", b"tmpfs", 0),
        "mount: proc": (b"none", b"/tmp/m", b"proc", 0),
        "mount: cgroup2": (b"none", b"/tmp/m", b"cgroup2", 0),
        "mount: overlay": (b"none", b"/tmp/m", b"overlay", 0),
        "mount: bind": (b"/etc", b"/tmp/m", None, 4096),
        "mount: /sys writable": (None, b"/sys", None, 32),
        "mount: /proc/sys writable": (None, b"/proc/sys", None, 32 | 4096),
    }.items():
        attempt(what, lambda args=args: call("mount", args[0], args[1], args[2], n(args[3]), None))
    attempt("umount: /etc/hosts", lambda: call("umount2", b"/etc/hosts", n(2)))
    attempt("umount: a mask (/proc/kcore)", lambda: call("umount2", b"/proc/kcore", n(2)))
    attempt("fsopen", lambda: call("fsopen", b"tmpfs", n(0)))
    attempt("open_tree", lambda: call("open_tree", n(-100), b"/etc", n(1)))
    attempt("move_mount", lambda: call("move_mount", n(-100), b"/etc", n(-100), b"/tmp/m", n(0)))
    attempt("mount_setattr", lambda: call("mount_setattr", n(-100), b"/sys", n(0), bytes(32), n(32)))
    attempt("pivot_root", lambda: call("pivot_root", b"/tmp", b"/tmp/m"))
    attempt("chroot", lambda: in_child(lambda: os.chroot("/tmp")))


def devices():
    for what, mode, major, minor in (("disk", 0o60600, 8, 0), ("memory", 0o20600, 1, 1), ("null", 0o20666, 1, 3),
                                     ("kmsg", 0o20600, 1, 11), ("fuse", 0o20666, 10, 229), ("kvm", 0o20666, 10, 232)):
        attempt(f"mknod: {what}", lambda m=mode, a=major, b=minor: os.mknod("/tmp/node", m, os.makedev(a, b)))
    attempt("mknod: a pipe", lambda: os.mkfifo("/tmp/pipe"))
    for path in ("/dev/mem", "/dev/kmsg", "/dev/sda", "/dev/vda", "/dev/loop0", "/dev/loop-control", "/dev/fuse",
                 "/dev/kvm", "/dev/net/tun", "/dev/vsock"):
        attempt(f"open: {path}", lambda path=path: opened(path))
    allowed = {"console", "core", "fd", "full", "mqueue", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin",
               "stdout", "tty", "urandom", "zero"}
    more = sorted(set(os.listdir("/dev")) - allowed)
    attempt("a device beyond the engine's usual ones", lambda: " ".join(more) or False)


# ---- /proc, /sys, the kernel --------------------------------------------------------------------

def settings():
    for path in ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/kernel/modprobe",
                 "/proc/sys/net/ipv4/ip_forward", "/proc/sys/net/ipv6/conf/eth0/disable_ipv6",
                 "/proc/sys/vm/overcommit_memory", "/proc/sys/fs/file-max"):
        if os.path.exists(path):
            attempt(f"write: {path}", lambda path=path: rewritten(path))
    attempt("write: /proc/sysrq-trigger", lambda: opened("/proc/sysrq-trigger", os.O_WRONLY))
    attempt("write: any file of /proc/sys", lambda: writable("/proc/sys"))
    attempt("write: any file of /sys", lambda: writable("/sys"))
    attempt("write: any file of /proc beside those of processes", lambda: writable("/proc", r"sys|pressure"))
    attempt("write: /proc/pressure", lambda: opened("/proc/pressure/cpu", os.O_RDWR | os.O_NONBLOCK))
    attempt("read: /proc/kcore", lambda: len(open("/proc/kcore", "rb").read(16)) > 0)
    attempt("read: /proc/keys", lambda: len(open("/proc/keys", "rb").read(16)) > 0)
    attempt("read: /proc/timer_list", lambda: len(open("/proc/timer_list", "rb").read(16)) > 0)
    attempt("read: /sys/firmware", lambda: " ".join(os.listdir("/sys/firmware")) or False)
    attempt("read: the host's processors, memory, uptime", lambda: opened("/proc/cpuinfo"))
    attempt("read: addresses of kernel symbols", symbols)
    attempt("oom_score_adj: lower than given", lambda: in_child(lower_score))
    attempt("own cgroup: a higher limit", limit)
    attempt("see a process that is not its own", foreign_process)


def writable(top, without="-"):
    """Files with a write permission that can be opened for writing; nothing is written. Processes have
    folders of their own in /proc, with a number."""
    open_ones = []
    for folder, dirs, files in os.walk(top):
        if folder == top:
            dirs[:] = [d for d in dirs if not re.fullmatch(r"\d+|self|thread-self|" + without, d)]
        for file in files:
            path = os.path.join(folder, file)
            try:
                seen = os.stat(path)
                if seen.st_mode & 0o222 and seen.st_rdev != os.makedev(1, 3):  # a mask is /dev/null
                    opened(path, os.O_WRONLY | os.O_NONBLOCK)
                    open_ones.append(path)
            except OSError:
                pass
    return " ".join(open_ones) or False


def symbols():
    with open("/proc/kallsyms", encoding="ascii") as f:
        return int(f.readline().split()[0], 16) != 0


def lower_score():
    with open("/proc/self/oom_score_adj", encoding="ascii") as f:
        score = int(f.read())
    written("/proc/self/oom_score_adj", str(score - 1000 if score > 0 else -1000))


def limit():
    for path in ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory.max"):
        if os.path.exists(path):
            return opened(path, os.O_WRONLY)
    raise OSError(errno.ENOENT, "")


def foreign_process():
    """PID 1 is the agent, and whoever runs descends from it."""
    parents = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="latin-1") as f:
                parents[int(pid)] = int(f.read().rpartition(")")[2].split()[1])
        except OSError:
            pass
    with open("/proc/1/comm", encoding="ascii") as f:
        agent = f.read().strip()
    return agent != "backtalk-agent" or any(p and p not in parents for p in parents.values())


def kernel():
    attr = ctypes.create_string_buffer(128)
    struct.pack_into("II", attr, 0, 1, 128)
    key = (b"user", b"x", b"y")
    tries = {
        "add_key": lambda: call("add_key", key[0], key[1], key[2], n(1), n(-3)),
        "keyctl": lambda: call("keyctl", n(0), n(-3), n(1)),
        "request_key": lambda: call("request_key", key[0], key[1], None, n(-3)),
        "bpf": lambda: call("bpf", n(0), bytes(72), n(72)),
        "perf_event_open": lambda: call("perf_event_open", attr, n(0), n(-1), n(-1), n(0)),
        "userfaultfd": lambda: call("userfaultfd", n(1)),
        "io_uring_setup": lambda: call("io_uring_setup", n(4), ctypes.create_string_buffer(120)),
        "kexec_load": lambda: call("kexec_load", n(0), n(0), None, n(0)),
        "init_module": lambda: call("init_module", b"", n(0), b""),
        "finit_module": lambda: call("finit_module", n(0), b"", n(0)),
        "delete_module": lambda: call("delete_module", b"none", n(2048)),
        "reboot": lambda: in_child(lambda: call("reboot", n(0xfee1dead), n(672274793), n(0))),
        "settimeofday": lambda: call("settimeofday", struct.pack("qq", 0, 0), None),
        "clock_settime": lambda: call("clock_settime", n(0), struct.pack("qq", 0, 0)),
        "adjtimex": lambda: call("adjtimex", ctypes.create_string_buffer(struct.pack("I", 2) + bytes(300))),
        "sethostname": lambda: call("sethostname", b"sandbox", n(7)),
        "setdomainname": lambda: call("setdomainname", b"x", n(1)),
        "swapon": lambda: call("swapon", b"/tmp/none", n(0)),
        "acct": lambda: call("acct", None),
        "quotactl": lambda: call("quotactl", n(0x80000100), b"/dev/null", n(0), n(0)),
        "syslog (the kernel's log)": lambda: call("syslog", n(3), ctypes.create_string_buffer(64), n(64)),
        "vhangup": lambda: in_child(lambda: call("vhangup")),
        "open_by_handle_at": handles,
        "name_to_handle_at": lambda: in_child(handle),
        "fanotify_init (with all rights)": lambda: call("fanotify_init", n(0), n(0)),
        "kcmp": lambda: call("kcmp", n(os.getpid()), n(os.getpid()), n(1), n(0), n(0)) >= 0,
        "personality: another": lambda: in_child(lambda: call("personality", n(0x40000))),
        "ptrace: an own child": traced,
        "ptrace: PID 1, its own agent": lambda: in_child(lambda: call("ptrace", n(0x4206), n(1), None, None)),
        "priority: above the usual": lambda: in_child(lambda: os.setpriority(os.PRIO_PROCESS, 0, -5)),
        "priority: real time": lambda: in_child(lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))),
        "a hard limit raised": lambda: in_child(raise_limit),
        "memfd_create": lambda: call("memfd_create", b"x", n(1)) >= 0,
    }
    for what, action in tries.items():
        attempt(what, action)


def handle():
    buffer = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128))
    call("name_to_handle_at", n(-100), b"/tmp", buffer, ctypes.byref(ctypes.c_int()), n(0))


def handles():
    # the root folder of the file system, number 2: how containers once read their host's files
    buffer = ctypes.create_string_buffer(struct.pack("IiQ", 8, 1, 2))
    with open("/etc/hosts", "rb") as f:
        return call("open_by_handle_at", n(f.fileno()), buffer, n(0)) >= 0


def traced():
    child = subprocess.Popen(["sleep", "9"])
    try:
        return call("ptrace", n(0x4206), n(child.pid), None, None) == 0
    finally:
        child.kill()


def raise_limit():
    import resource
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard + 1))
    except ValueError as e:
        raise OSError(errno.EPERM, "") from e


# ---- users and capabilities ---------------------------------------------------------------------

CAPABILITIES = """chown dac_override dac_read_search fowner fsetid kill setgid setuid setpcap linux_immutable
net_bind_service net_broadcast net_admin net_raw ipc_lock ipc_owner sys_module sys_rawio sys_chroot sys_ptrace
sys_pacct sys_admin sys_boot sys_nice sys_resource sys_time sys_tty_config mknod lease audit_write audit_control
setfcap mac_override mac_admin syslog wake_alarm block_suspend audit_read perfmon bpf checkpoint_restore""".split()


def rights():
    with open("/proc/self/status", encoding="ascii") as f:
        status = dict(line.rstrip().split(":\t", 1) for line in f if ":\t" in line)
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        bits = int(status[name], 16)
        words = [word for i, word in enumerate(CAPABILITIES) if bits >> i & 1]
        if bits >> len(CAPABILITIES):
            words.append("unknown")
        found[f"capabilities: {name}"] = [bool(words), " ".join(words)]
    found["new privileges"] = [status["NoNewPrivs"] != "1", status["NoNewPrivs"]]
    found["system calls without a filter"] = [status["Seccomp"] != "2", status["Seccomp"]]
    script = ("cp /usr/bin/id /tmp/id && chmod 4755 /tmp/id && "
              "test \"$(su -s /bin/sh nobody -c '/tmp/id -u')\" = 0")
    found["a set-user-id program gives root back"] = [
        subprocess.run(["sh", "-c", script], check=False, capture_output=True).returncode == 0, ""]
    attempt("become another user", lambda: in_child(lambda: os.setuid(65534)))
    attempt("file capabilities", lambda: os.setxattr("/tmp/id", "security.capability",
                                                     struct.pack("<IIIII", 0x02000001, 1 << 21, 0, 0, 0)))
    attempt("trusted attributes", lambda: os.setxattr("/tmp/id", "trusted.overlay.opaque", b"y"))
    attempt("immutable files", immutable)


def immutable():
    with open("/tmp/id", "rb") as f:
        fcntl.ioctl(f, 0x40086602, struct.pack("l", 0x10))


# ---- sockets ------------------------------------------------------------------------------------

FAMILIES = {1: "UNIX", 2: "INET", 10: "INET6", 16: "NETLINK", 17: "PACKET", 29: "CAN", 31: "BLUETOOTH", 38: "ALG",
            40: "VSOCK", 44: "XDP"}


def by_the_32_bit_door(number, *args):
    """A system call as 32-bit programs make it on x86: push rbx; mov eax, ebx, ecx, edx; int 0x80."""
    values = (number, *args, 0, 0, 0)[:4]
    code = (b"\x53" + b"".join(op + struct.pack("<I", v) for op, v in zip((b"\xb8", b"\xbb", b"\xb9", b"\xba"), values))
            + b"\xcd\x80\x5b\x48\x98\xc3")
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    door = ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    result = door()
    if result < 0:
        raise OSError(-result, "")
    os.close(result)
    return True


def doors():
    """The same by another entrance of the kernel; on arm64 there is none that Python could take."""
    if not ARM:
        attempt("32 bits: socket VSOCK", lambda: in_child(lambda: by_the_32_bit_door(359, 40, 1)))
        attempt("32 bits: socket INET", lambda: in_child(lambda: by_the_32_bit_door(359, 2, 1)))
        attempt("32 bits: socketcall", lambda: in_child(lambda: by_the_32_bit_door(102, 1, 0)))
        attempt("32 bits: io_uring_setup", lambda: in_child(lambda: by_the_32_bit_door(425, 4, 0)))
        attempt("x32: socket VSOCK", lambda: libc_number(41 | 0x40000000, 40, 1))
        attempt("x32: io_uring_setup", lambda: libc_number(425 | 0x40000000, 4, 0))


def libc_number(number, *args):
    result = libc.syscall(n(number), *map(n, args))
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return True


def sockets():
    for number, name in FAMILIES.items():
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
            attempt(f"socket: {name}", lambda f=number, k=kind: socket.socket(f, k, 0).fileno() >= 0)
            if found[f"socket: {name}"][0]:
                break
    more = []
    for number in set(range(3, 64)) - set(FAMILIES):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
            try:
                socket.socket(number, kind, 0).close()
                more.append(str(number))
                break
            except OSError:
                pass
    attempt("socket: any other family", lambda: " ".join(more) or False)
    attempt("socket: raw IP", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 255).fileno() >= 0)
    attempt("socket: raw ICMP", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).fileno() >= 0)
    attempt("socket: ping", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 1).fileno() >= 0)
    attempt("socket: a port below 1024", lambda: socket.socket().bind(("", 81)))
    for what, command in {
        "network: another address": "ip address add 10.99.99.9/32 dev lo",
        "network: another route": "ip route add 10.99.0.0/16 dev eth0",
        "network: another interface": "ip link add type dummy",
        "network: another hardware address": "ip link set eth0 address 02:00:00:00:00:01",
        "network: packets with a false sender": None,
    }.items():
        if command:
            attempt(what, lambda c=command: subprocess.run(c.split(), check=False, capture_output=True).returncode == 0)
        else:
            attempt(what, transparent)
    attempt("sockets of others: in files", lambda: " ".join(unix_files()) or False)
    attempt("sockets of others: without a name in files", abstract)


def transparent():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.setsockopt(socket.SOL_IP, 19, 1)


def unix_files():
    for folder, _, files in os.walk("/"):
        if folder.startswith(("/proc", "/sys")):
            continue
        for name in files:
            path = os.path.join(folder, name)
            try:
                if os.stat(path).st_mode & 0o170000 == 0o140000:
                    yield path
            except OSError:
                pass


def abstract():
    with open("/proc/net/unix", encoding="latin-1") as f:
        return " ".join(w[7] for line in f if len(w := line.split()) > 7 and w[7].startswith("@")) or False


def main():
    for part in (rights, namespaces, mounts, devices, settings, kernel, sockets, doors):
        part()
    print(json.dumps(found))


main()
