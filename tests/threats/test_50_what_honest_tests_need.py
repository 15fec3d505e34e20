"""Honest: tests need dependencies, the loopback, lock files, variables of a toolchain, room for temporary files.
Answer: read-only paths and variables by profile; a loopback inside; a copy that may be written to.
"""

import json
from collections.abc import Callable

import pytest

from testdata.receipts import generate
from testdata.receipts.generate_clean_room import RoomCase
from tests.threats.conftest import Desk, profile

pytestmark = pytest.mark.usefixtures("bubblewrap")
Commands = Callable[..., list[str]]

NEEDS = {
    "loopback": """
import socket, threading
with socket.create_server(("127.0.0.1", 0)) as server:
    threading.Thread(target=lambda: server.accept()[0].sendall(b"x")).start()
    with socket.create_connection(server.getsockname()) as there:
        assert there.recv(1) == b"x"
""",
    "localhost": """
import socket
with socket.create_server(("localhost", 0)) as server:
    socket.create_connection(("localhost", server.getsockname()[1])).close()
""",
    "IPv6": """
import socket
with socket.create_server(("::1", 0), family=socket.AF_INET6) as server:
    socket.create_connection(server.getsockname()[:2]).close()
""",
    "lock file": """
import fcntl
with open("greeting.txt.lock", "w") as file:
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
""",
    "shared memory": """
import multiprocessing, multiprocessing.shared_memory as shared
place = shared.SharedMemory(create=True, size=1000)
place.close(); place.unlink()
multiprocessing.Lock(); multiprocessing.Queue()
""",
    "processes": """
import multiprocessing
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(4) as pool:
        assert sum(pool.map(abs, range(-100, 0))) == 5050
""",
    "unix sockets": """
import os, socket
path = os.path.join(os.environ["TMPDIR"], "s")
with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as there:
    server.bind(path); server.listen(); there.connect(path)
a, b = socket.socketpair(); a.send(b"x"); assert b.recv(1) == b"x"
""",
    "big files in TMPDIR": """
import os, tempfile
with tempfile.TemporaryFile() as file:
    file.write(bytes(50 << 20))
open("/tmp/x", "w").close()
""",
    "terminal": """
import os, pty
master, slave = pty.openpty()
os.write(slave, b"x"); assert os.read(master, 1) == b"x"
""",
    "who am I": """
import getpass, os, pwd
assert pwd.getpwuid(os.getuid()).pw_name == getpass.getuser()
assert os.path.expanduser("~") == os.environ["HOME"]
""",
    "own debugger": """
import ctypes, os, signal
child = os.fork()
if child == 0:
    ctypes.CDLL(None).ptrace(0, 0, None, None)  # PTRACE_TRACEME
    os.kill(os.getpid(), signal.SIGSTOP)
    os._exit(0)
_, status = os.waitpid(child, os.WUNTRACED)
assert os.WIFSTOPPED(status)
os.kill(child, signal.SIGKILL)
""",
}


def test_threat_50_what_tests_usually_do_works(desk: Desk, commands: Commands) -> None:
    commands_of = {what: ["/usr/bin/python3", "-c", source] for what, source in NEEDS.items()}
    change = generate.claims(generate.file_item(), *map(generate.command_item, commands_of.values()))
    flags = commands(*map(json.dumps, commands_of.values()))
    seen = desk.verify(generate.Case(why="", change=change, flags=flags))
    (check,) = (check for check in seen.result["checks"] if check["id"] == "evidence-command")
    ended = dict(zip(commands_of, (finding["message"] for finding in check["findings"]), strict=True))
    assert {what: said for what, said in ended.items() if not said.startswith("succeeded")} == {}
    assert seen.code == 0


def test_threat_50_dependencies_and_variables_by_profile(desk: Desk) -> None:
    package = desk.write("elsewhere/packages/there/__init__.py", "WORD = 'there'\n")
    argv = ["/usr/bin/python3", "-c", "import there; open(there.__file__)"]
    change = generate.claims(generate.file_item(), generate.command_item(argv))
    folder = package.parents[1]
    text = f"[[command]]\nargv = {json.dumps(argv)}\n"
    shown = f'[sandbox]\nreadOnly = ["{folder}"]\nvariables = {{ PYTHONPATH = "{folder}" }}\n'
    for more, state in ((shown, "confirmed"), ("", "refuted")):
        given = profile(text + more)
        flags = [*given["flags"], "--recheck-commands"]
        case = generate.Case(why="", change=change, inputs=given["inputs"], flags=flags)
        assert desk.verify(case).states == {"greets": state}


IN_THE_CLEAN_ROOM = """import json
import os
import socket
import tempfile
import unittest
from pathlib import Path


class NeedsTest(unittest.TestCase):
    def test_loopback(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            socket.create_connection(server.getsockname()).close()

    def test_temporary_files(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "x.lock").write_text("x")

    def test_what_the_profile_gives(self):
        tool = json.loads(Path(os.environ["TOOLS"], "tool.json").read_text())
        self.assertEqual(tool, {"version": 3})

    def test_a_file_beside_the_sources(self):
        Path(__file__).with_name("cache.txt").write_text("x")
"""


@pytest.mark.integration
@pytest.mark.parametrize("writable", [True, False])
def test_threat_50_tests_in_the_clean_room(desk: Desk, writable: bool) -> None:
    """What base's tests need is not there without the profile: red at base, and no fault of the change."""
    tools = desk.write("tools/tool.json", json.dumps({"version": 3})).parent
    more = f'\n[sandbox]\nreadOnly = ["{tools}"]\nvariables = {{ TOOLS = "{tools}" }}\n'
    base: dict[str, str | None] = {"tests/test_needs.py": IN_THE_CLEAN_ROOM}
    case = RoomCase(why="", base=base, more=more, passed=7, tests=f"writable = {str(writable).lower()}\n")
    seen = desk.verify_tests(case)
    assert (seen.code, seen.violations) == (0, set())
    red = [] if writable else ["test_needs.NeedsTest.test_a_file_beside_the_sources"]
    assert seen.tests["preexisting"].get("ids", []) == red
