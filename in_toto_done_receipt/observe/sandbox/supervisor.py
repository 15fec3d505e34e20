"""The small process between the verifier and a command. Standard library only; run by `launch`, never imported.

Started as `python -I -S -E -c CODE REPORT_FD GROUP_FD`, outside any sandbox or, at level bubblewrap, inside of it. It

1. makes itself undumpable and adopts every orphan below it (PR_SET_CHILD_SUBREAPER),
2. reads its orders from standard input, which stays open as a lifeline: at its end everything is killed,
3. forks; the child takes on all restrictions and executes the command,
4. waits for the command or the end of the lifeline, kills all descendants, and writes one line to REPORT_FD.

Orders: 8 bytes of length, then `name NUL value NUL …`, names repeating. Reports, one line each: `ready`, then
`exited STATUS NANOSECONDS LEFT_BEHIND STILL_ALIVE` or `refused STAGE ERRNO`.

Ensures nothing against a command at level rlimits that kills this process: the verifier then has no `exited` line and
counts the run as failed, but what was started may live on.
"""

import _signal  # type: ignore[import-not-found]  # `signal` would double the start-up time
import ctypes
import errno
import os
import resource
import select
import struct
import sys
import time

Orders = dict[str, list[bytes]]

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 4, 24, 36, 38
PR_SET_SECCOMP, SECCOMP_FILTER = 22, 2
LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446  # system calls, the same on every architecture
KEYCTL = {"x86_64": 250, "aarch64": 219, "riscv64": 219, "loongarch64": 219, "s390x": 280, "ppc64le": 271}
KEYCTL_JOIN_SESSION = 1
LAST_CAPABILITY = 63
LAST_SIGNAL = 64
SIGKILL, SIGSTOP = 9, 19  # 19 on every architecture that we know system calls of
FEW = 20  # processes that are killed without being stopped first

READ = 1 << 0 | 1 << 2 | 1 << 3  # execute, read file, read folder
FILE_RIGHTS = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15  # those that a rule on a file may name
WRITE_DEVICE = 1 << 1 | 1 << 2  # write and read file
KILL_SECONDS = 2.0  # how long we try to kill what a command left behind


class Refused(Exception):
    """A restriction could not be taken on, or the command not be executed."""

    def __init__(self, stage: str, errno: int) -> None:
        super().__init__(stage, errno)
        self.stage = stage
        self.errno = errno


def read_orders() -> Orders:
    """The orders on standard input."""
    size = int.from_bytes(read_exactly(8), "big")
    fields = read_exactly(size).split(b"\0")
    orders: Orders = {}
    for name, value in zip(fields[0::2], fields[1::2], strict=False):
        orders.setdefault(name.decode(), []).append(value)
    return orders


def read_exactly(size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = os.read(0, size - len(data))
        if not part:
            os._exit(1)
        data += part
    return data


def call(stage: str, result: int) -> int:
    """The result of a C call, or Refused."""
    if result < 0:
        raise Refused(stage, ctypes.get_errno())
    return result


def landlock_abi(libc: ctypes.CDLL) -> int:
    """The Landlock version of this kernel, 0 if there is none."""
    return max(0, int(libc.syscall(LANDLOCK_CREATE, None, ctypes.c_size_t(0), 1)))


def restrict_files(libc: ctypes.CDLL, orders: Orders) -> None:
    """Landlock: read below `read`, all below `write`, no TCP, no signal and no abstract socket to the outside."""
    abi = landlock_abi(libc)
    rights = (1 << {0: 0, 1: 13, 2: 14, 3: 15, 4: 15}.get(abi, 16)) - 1
    fields = [rights, 3 if abi >= 4 else 0, 3 if abi >= 6 else 0][: 3 if abi >= 6 else 2 if abi >= 4 else 1]
    attributes = struct.pack(f"{len(fields)}Q", *fields)
    size = ctypes.c_size_t(len(attributes))
    rules = call("landlock", libc.syscall(LANDLOCK_CREATE, attributes, size, 0))
    for path in orders.get("read", []):
        allow(libc, rules, path, READ & rights, needed=False)
    for path in orders.get("device", []):
        allow(libc, rules, path, WRITE_DEVICE & rights, needed=False)
    for path in orders.get("write", []):
        allow(libc, rules, path, rights, needed=True)
    call("landlock", libc.syscall(LANDLOCK_RESTRICT, rules, 0))
    os.close(rules)


def allow(libc: ctypes.CDLL, rules: int, path: bytes, rights: int, *, needed: bool) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError as fault:
        if needed:
            raise Refused("landlock " + os.fsdecode(path), fault.errno or 0) from fault
        return
    try:
        if not os.path.isdir(path):  # noqa: PTH112  (pathlib would double the start-up time)
            rights &= FILE_RIGHTS
        rule = struct.pack("=Qi", rights, place)
        call("landlock " + os.fsdecode(path), libc.syscall(LANDLOCK_ADD, rules, 1, rule, 0))
    finally:
        os.close(place)


def drop_capabilities(libc: ctypes.CDLL) -> None:
    """No capability is left, nor can one be gained by executing something as root."""
    for capability in range(LAST_CAPABILITY + 1):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0:
            break  # either past the last one that this kernel knows, or not privileged: nothing to drop
    header = struct.pack("Ii", 0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3
    call("capabilities", libc.capset(header, bytes(24)))


def leave_keys(libc: ctypes.CDLL) -> None:
    """An empty keyring for the session: no namespace separates the verifier's, which a child would inherit."""
    number = KEYCTL.get(os.uname().machine)
    if number is None or libc.syscall(number, KEYCTL_JOIN_SESSION, None) >= 0:
        return
    if ctypes.get_errno() not in (errno.ENOSYS, errno.EPERM):  # with these there are no keys to be had for anybody
        raise Refused("keyring", ctypes.get_errno())


def filter_calls(libc: ctypes.CDLL, program: bytes) -> None:
    """The kernel refuses system calls by this program from now on."""
    place = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(place))
    call("seccomp", libc.prctl(PR_SET_SECCOMP, SECCOMP_FILTER, header, 0, 0))


def set_limits(orders: Orders) -> None:
    """One `limit` is `NAME=VALUE`. A limit above the hard one that we were given is that one."""
    for order in orders.get("limit", []):
        name, _, text = order.decode().partition("=")
        which = getattr(resource, "RLIMIT_" + name)
        value = int(text)
        if name == "NPROC":
            value += tasks_of_user()
        hard = resource.getrlimit(which)[1]
        if hard != resource.RLIM_INFINITY:
            value = min(value, hard)
        try:
            resource.setrlimit(which, (value, value))
        except (OSError, ValueError) as fault:
            raise Refused("limit " + name, getattr(fault, "errno", 0) or 0) from fault


def tasks_of_user() -> int:
    """How many tasks our user has in this process namespace: the kernel counts all of them, not only the command's."""
    count, user = 0, os.getuid()
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdigit():
            try:
                if os.stat("/proc/" + name).st_uid == user:  # noqa: PTH116
                    count += len(os.listdir("/proc/" + name + "/task"))  # noqa: PTH208
            except OSError:
                continue  # it has just ended
    return count


def become(libc: ctypes.CDLL, orders: Orders) -> None:
    """The child takes on all restrictions and executes the command; returns only by Refused."""
    os.setsid()
    libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    for number in range(1, LAST_SIGNAL + 1):
        libc.signal(number, None)
    libc.sigprocmask(2, bytes(128), None)
    os.umask(0o022)
    try:
        os.chdir(orders["cwd"][0])
    except OSError as fault:
        raise Refused("chdir", fault.errno or 0) from fault
    leave_keys(libc)
    if "drop" in orders:
        drop_capabilities(libc)
    call("no_new_privs", libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    set_limits(orders)
    if "landlock" in orders:
        restrict_files(libc, orders)
    for program in orders.get("seccomp", []):
        filter_calls(libc, bytes.fromhex(program.decode()))
    environment = dict(entry.split(b"=", 1) for entry in orders.get("env", []))
    argv = orders["argv"]
    try:
        os.execve(argv[0], argv, environment)  # noqa: S606  (no shell is the point)
    except (OSError, ValueError) as fault:
        raise Refused("execute", getattr(fault, "errno", 0) or 0) from fault


def start(libc: ctypes.CDLL, orders: Orders, report: int) -> tuple[int, bytes]:
    """The process id of the command, and what kept it from being executed (nothing: it runs)."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(report)
            os.close(reading)
            os.dup2(writing, 3, inheritable=False)
            os.closerange(4, 1 << 20)
            become(libc, orders)
        except Refused as refused:
            os.write(3, f"{refused.errno} {refused.stage}".encode("utf-8", "replace"))
        except BaseException as other:  # noqa: BLE001  (or it looks like the command's exit code)
            os.write(3, f"0 set-up: {type(other).__name__}".encode())
        finally:
            os._exit(127)
    os.close(writing)
    fault = b""
    while part := os.read(reading, 4096):
        fault += part
    os.close(reading)
    return pid, fault


def wait(pid: int) -> int | None:
    """The wait status of the command; None if the lifeline ended first. Reaps adopted orphans meanwhile."""
    poll = select.poll()
    poll.register(0, select.POLLIN)
    pause = 5  # ms, without a pidfd
    try:
        poll.register(os.pidfd_open(pid), select.POLLIN)
        pause = 200  # ms; only adopted orphans wait for it
    except OSError:
        pass
    while True:
        status = reap(pid)
        if status is not None:
            return status
        if any(place == 0 for place, _ in poll.poll(pause)):
            return None


def reap(pid: int) -> int | None:
    """Reaps every dead child; the status of `pid` if it was among them."""
    found = None
    while True:
        try:
            dead, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if dead == 0:
            return found
        if dead == pid:
            found = status


def is_alone() -> bool:
    """Reaps every dead child; is there no other? Then there is no descendant: orphans become our children at once."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return True
    return False


def stat_of(pid: int) -> tuple[bytes, int, bytes]:
    """State, parent and start time of a process. Raises OSError or ValueError for one that has just ended."""
    with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
        fields = file.read().rpartition(b")")[2].split()
    if len(fields) < 20:
        raise ValueError
    return fields[0], int(fields[1]), fields[19]


def descendants() -> dict[int, bytes]:
    """Our living descendants, and when each was started."""
    parents: dict[int, list[int]] = {}
    started: dict[int, bytes] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdigit():
            try:
                state, parent, when = stat_of(int(name))
            except (OSError, ValueError):
                continue
            parents.setdefault(parent, []).append(int(name))
            if state not in b"ZX":
                started[int(name)] = when
    found, waiting = {}, [os.getpid()]
    while waiting:
        for pid in parents.pop(waiting.pop(), ()):
            waiting.append(pid)
            if pid in started:
                found[pid] = started[pid]
    return found


def send(pid: int, when: bytes, number: int) -> None:
    """Sends a signal to the process that was started then, and to no other that has its number by now."""
    try:
        place = os.pidfd_open(pid)
    except OSError:
        return
    try:
        if stat_of(pid)[2] == when:
            _signal.pidfd_send_signal(place, number)
    except (OSError, ValueError):
        return
    finally:
        os.close(place)


def kill_all() -> tuple[bool, bool]:
    """Kills all descendants: was there one, is there still one.

    Where there are many they are stopped first: what is stopped starts nothing, and still counts against the limit of
    processes, so that others cannot start any either. Without such a limit they may outrun us.
    """
    there_was = False
    end = time.monotonic() + KILL_SECONDS
    stopped: dict[int, bytes] = {}
    while not is_alone():
        there_was = True
        if time.monotonic() > end:
            return True, True
        found = descendants()
        moving = {pid: when for pid, when in found.items() if stopped.get(pid) != when}
        many = len(found) > FEW and bool(moving)
        for pid, when in (moving if many else found).items():
            send(pid, when, SIGSTOP if many else SIGKILL)
        stopped = found if many else {}
    return there_was, False


def enter(group: int) -> None:
    """Into the control group that limits processes, if there is one. If it cannot be entered the self-test says so.

    Mostly the verifier has put us there while we started: to enter again would take as long as that.
    """
    if group < 0:
        return
    try:
        name = os.readlink(f"/proc/self/fd/{group}").encode().split(b"/")[-2:-1]  # noqa: PTH115
        with open("/proc/self/cgroup", "rb") as file:  # noqa: PTH123
            if not name or name[0] not in file.read():
                os.write(group, b"0")
    except OSError:
        pass
    finally:
        os.close(group)


def main() -> None:
    report, group = map(int, sys.argv[1:])
    os.set_inheritable(report, False)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    enter(group)
    orders = read_orders()
    os.write(report, b"ready\n")
    began = time.monotonic_ns()
    pid, fault = start(libc, orders, report)
    if fault:
        number, _, stage = fault.partition(b" ")
        os.write(report, b"refused " + number + b" " + stage.replace(b"\n", b"?") + b"\n")
        return
    status = wait(pid)
    took = time.monotonic_ns() - began
    left, alive = kill_all()
    if status is not None:
        code = os.waitstatus_to_exitcode(status)
        os.write(report, f"exited {code} {took} {int(left)} {int(alive)}\n".encode())
    elif alive:
        os.write(report, b"alive\n")


if __name__ == "__main__":
    main()
