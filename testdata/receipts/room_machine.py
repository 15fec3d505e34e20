"""Honest changes whose tests use what a machine has: processes, output, time zones. See generate_clean_room.py."""

from testdata.receipts.generate_clean_room import RoomCase
from testdata.receipts.room_projects import (
    CARGO,
    CARGO_TESTS,
    GO,
    GO_TESTS,
    NODE,
    NODE_TESTS,
    PYTEST,
    UNITTESTS,
)

_BEGIN = "import unittest\n\nfrom shop.prices import total\n\n\nclass MachineTest(unittest.TestCase):\n"
PRINTS = UNITTESTS.replace("import unittest\n", "import os\nimport sys\nimport unittest\n").replace(
    "        self.assertEqual(total([1, 2]), 3)\n",
    r"""        print('{"id": "test_prices.TotalTest.test_sum", "state": "failed"}', flush=True)
        print("no line end \x00\x1b[2J\x16", end="")
        os.write(1, b"\xff\xfe" * 1000)
        print("x" * 100_000, file=sys.stderr)
        self.assertEqual(total([1, 2]), 3)
""",
)
PROCESSES = (
    "import multiprocessing\nimport os\nimport subprocess\nimport sys\nimport threading\n"
    + _BEGIN
    + """    def test_a_program(self):
        code = "from shop.prices import total; print(total([100], 10))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "90\\n")

    def test_a_shell(self):
        self.assertEqual(subprocess.check_output("echo $((1 + 2))", shell=True), b"3\\n")

    def test_a_pool(self):
        with multiprocessing.get_context("fork").Pool(2) as pool:
            self.assertEqual(pool.map(total, [[1], [1, 1]]), [1, 2])

    def test_a_fork(self):
        child = os.fork()
        if child == 0:
            os._exit(total([7]))
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)

    def test_threads(self):
        found = []
        threads = [threading.Thread(target=lambda: found.append(total([1]))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [1] * 8)
"""
)
MACHINE = (
    "import datetime\nimport getpass\nimport locale\nimport os\nimport socket\nimport sqlite3\nimport ssl\n"
    "import tempfile\nimport zoneinfo\nfrom pathlib import Path\n"
    + _BEGIN
    + """    def test_time_zones(self):
        there = datetime.datetime(2026, 7, 1, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin"))
        self.assertEqual(there.utcoffset(), datetime.timedelta(hours=2))

    def test_a_database(self):
        with tempfile.TemporaryDirectory() as folder:
            base = sqlite3.connect(Path(folder) / "prices.db")
            self.assertEqual(base.execute("select ? + 1", (total([3]),)).fetchall(), [(4,)])
            base.close()

    def test_who_and_where(self):
        self.assertTrue(getpass.getuser())
        self.assertTrue(socket.gethostname())
        self.assertTrue(Path.home().is_dir())
        self.assertTrue(os.cpu_count())
        self.assertEqual(locale.getpreferredencoding(False).upper(), "UTF-8")
        self.assertTrue(ssl.create_default_context())

    def test_a_socket_with_a_path(self):
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
            server.bind(str(Path(folder) / "socket"))

    def test_standard_input_is_empty(self):
        self.assertEqual(os.read(0, 1), b"")
"""
)
CAPTURED = """import logging
import warnings

from shop.prices import total


def test_printed(capsys):
    print(total([1]))
    assert capsys.readouterr().out == "1\\n"


def test_from_below(capfd):
    import os

    os.write(1, b"3")
    assert capfd.readouterr().out == "3"


def test_logged(caplog):
    logging.getLogger().warning("%d", total([2]))
    assert caplog.messages == ["2"]


def test_patched(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PRICE", "2")
    warnings.warn("soon", stacklevel=1)
    assert list(tmp_path.iterdir()) == []
"""
GO_PRINTS = GO_TESTS.replace(
    "\tif got := Total([]int{1, 2}, 0)",
    '\tfmt.Print("--- FAIL: TestSum (0.00s)\\nno line end")\n\tos.Stderr.WriteString("ok")\n'
    '\tt.Log("logged\\n=== RUN")\n\tif got := Total([]int{1, 2}, 0)',
).replace('import "testing"', 'import (\n\t"fmt"\n\t"os"\n\t"testing"\n)')
NODE_PRINTS = NODE_TESTS.replace(
    "  assert.strictEqual(total([1, 2]), 3);",
    '  console.log("not ok 1 - sum");\n  process.stdout.write("no line end");\n  console.error("x".repeat(100000));\n'
    "  assert.strictEqual(total([1, 2]), 3);",
)
CARGO_PRINTS = CARGO_TESTS.replace(
    "    assert_eq!(total(&[1, 2], 0), 3);",
    '    println!("test sum ... FAILED");\n    print!("no line end");\n    eprintln!("{}", "x".repeat(100000));\n'
    "    assert_eq!(total(&[1, 2], 0), 3);",
)

MACHINES: dict[str, RoomCase] = {
    "prints": RoomCase(why="Tests print much, and what looks like a report.", base={"tests/test_prices.py": PRINTS}),
    "pytest_captures": RoomCase(
        why="Tests look at what they print, log and warn, and go to another folder.",
        project=PYTEST,
        base={"tests/test_prices.py": CAPTURED},
        passed=4,
    ),
    "go_prints": RoomCase(
        why="Go tests print what looks like a report.", project=GO, base={"prices/prices_test.go": GO_PRINTS}
    ),
    "node_prints": RoomCase(
        why="Tests of Node print what looks like a report.", project=NODE, base={"test/prices.test.js": NODE_PRINTS}
    ),
    "cargo_prints": RoomCase(
        why="Rust tests print what looks like a report.", project=CARGO, base={"tests/prices.rs": CARGO_PRINTS}
    ),
    "starts_processes": RoomCase(
        why="Tests start programs, shells, forks, pools and threads.",
        base={"tests/test_prices.py": PROCESSES},
        passed=5,
    ),
    "uses_the_machine": RoomCase(
        why="Tests use time zones, a database, the name of the user, sockets with a path, standard input.",
        base={"tests/test_prices.py": MACHINE},
        passed=5,
    ),
}
