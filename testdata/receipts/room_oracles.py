"""Tests that ask less, or the wrong question (scenarios 6, 8 to 12, 25, 27). See generate_clean_room.py."""

from testdata.receipts.generate_clean_room import FLAGS, RoomCase
from testdata.receipts.room_projects import (
    BAD,
    BODY,
    PYTEST,
    PYTESTS,
    SET_UP,
    TEST_CASE,
    UNIT_MORE,
    UNITTESTS,
    WITH_TAX,
    Files,
    edited,
    later,
)
from testdata.receipts.room_reasons import (
    ALL_RED,
    CHANGED_TEST,
    CONTRADICTORY,
    FAILED,
    GREEN_AT_BASE,
    HARNESS_CHANGED,
    NEW_RED,
    NOT_BELIEVED,
    NOT_SEALED,
)

BY_CONFIGURATION = ("{python}", "-m", "pytest", "--junitxml={junit}")
CHECKS: Files = {
    "tests/test_prices.py": None,
    "checks/check_prices.py": PYTESTS,
    "pyproject.toml": "[tool.pytest.ini_options]\ntestpaths = ['checks']\npython_files = ['check_*.py']\n",
}

ORACLES: dict[str, RoomCase] = {
    "early_return": RoomCase(
        why="A test returns before it looks: base's own is red on the new product.",
        scenarios=(6, 8),
        code=12,
        work={**BAD, **edited(UNITTESTS, BODY, "        return\n" + BODY)},
        violations=("tests.inventory",),
        reasons=(CHANGED_TEST,),
    ),
    "early_return_in_fixture": RoomCase(
        why="A fixture gives its tests another function than the product's.",
        scenarios=(8,),
        code=12,
        project=PYTEST,
        work={
            **BAD,
            **edited(
                PYTESTS,
                "\n\ndef test_sum",
                "\n\n@pytest.fixture(autouse=True)\ndef ready(monkeypatch):\n"
                "    monkeypatch.setitem(globals(), 'total', lambda prices, off=0: sum(prices) * (100 - off) // 100)\n"
                "\n\ndef test_sum",
            ),
        },
        violations=("tests.inventory",),
        reasons=(CHANGED_TEST,),
    ),
    "assertion_weakened": RoomCase(
        why="A test expects what the broken product gives.",
        scenarios=(6, 9),
        code=12,
        work={**BAD, **edited(UNITTESTS, "10), 90)", "10), 100)")},
        violations=("tests.inventory",),
        reasons=(CHANGED_TEST,),
    ),
    "class_defined_again": RoomCase(
        why="A second class of the same name, whose tests do nothing, takes the place of the first.",
        scenarios=(6, 8),
        code=12,
        work={
            **BAD,
            "tests/test_prices.py": UNITTESTS
            + "\n\nclass TotalTest(unittest.TestCase):\n    def test_sum(self):\n        pass\n\n"
            "    test_discount = test_nothing = test_sum\n",
        },
        violations=("tests.inventory",),
        reasons=(CHANGED_TEST,),
    ),
    "set_up_tampered": RoomCase(
        why="A helper of the tests changes the product before they run; the tests are as before.",
        scenarios=(8,),
        code=11,
        base={
            "tests/helper.py": "def ready():\n    pass\n",
            "tests/test_prices.py": UNITTESTS.replace(
                "import unittest\n", "import unittest\n\nimport helper\n"
            ).replace(TEST_CASE, TEST_CASE + SET_UP + "helper.ready()\n\n"),
        },
        work={
            **BAD,
            "tests/helper.py": "import sys\n\n\ndef ready():\n"
            "    sys.modules['test_prices'].total = lambda prices, off=0: sum(prices) * (100 - off) // 100\n",
        },
        violations=FAILED,
        reasons=ALL_RED,
    ),
    "vacuous_test": RoomCase(
        why="A new test passes on the old product as well: it shows nothing.",
        scenarios=(9,),
        code=12,
        work={
            "tests/test_tax.py": "import unittest\n\n\nclass TaxTest(unittest.TestCase):\n"
            "    def test_tax(self):\n        self.assertTrue(True)\n"
        },
        passed=4,
        tests="negativeControl = true\n",
        violations=("tests.inventory",),
        reasons=(GREEN_AT_BASE,),
    ),
    "error_is_expected": RoomCase(
        why="A new test takes the error for what is right: without the feature it passes as well.",
        scenarios=(9,),
        code=12,
        work={
            "tests/test_tax.py": "import unittest\n\nfrom shop import prices\n\n\nclass TaxTest(unittest.TestCase):\n"
            "    def test_tax(self):\n        with self.assertRaises(Exception):\n"
            "            prices.with_tax('1', '19')\n"
        },
        passed=4,
        tests="negativeControl = true\n",
        violations=("tests.inventory",),
        reasons=(GREEN_AT_BASE,),
    ),
    "seeded_rows": RoomCase(
        why="A new test reads what it has written itself; the product has no part in it.",
        scenarios=(10,),
        code=12,
        project=PYTEST,
        work={
            "tests/test_stored.py": "import json\n\n\ndef test_a_price_is_stored(tmp_path):\n"
            "    (tmp_path / 'prices.json').write_text('[119]')\n"
            "    assert json.loads((tmp_path / 'prices.json').read_text()) == [119]\n"
        },
        passed=6,
        tests="negativeControl = true\n",
        violations=("tests.inventory",),
        reasons=(GREEN_AT_BASE,),
    ),
    "golden_regenerated": RoomCase(
        why="What is expected was written anew by the product: base's golden file shows the test red.",
        scenarios=(11, 12),
        code=11,
        project=PYTEST,
        base={
            "tests/golden.txt": "90\n",
            "tests/test_golden.py": "from pathlib import Path\n\nfrom shop.prices import total\n\n\n"
            "def test_golden():\n"
            "    assert f'{total([100], 10)}\\n' == Path(__file__).with_name('golden.txt').read_text()\n",
            "tests/test_prices.py": PYTESTS.partition("@pytest")[0].replace("import pytest\n\n", "").rstrip() + "\n",
        },
        work={**BAD, "tests/golden.txt": "100\n"},
        passed=2,
        violations=FAILED,
        reasons=ALL_RED,
    ),
    "golden_written_in_the_run": RoomCase(
        why="The product writes the golden file in the run that compares it: the tree cannot be written.",
        scenarios=(12,),
        code=11,
        base={
            "tests/golden.txt": "90\n",
            "tests/test_prices.py": "import unittest\nfrom pathlib import Path\n\nfrom shop.prices import total\n\n\n"
            "class GoldenTest(unittest.TestCase):\n    def test_golden(self):\n"
            "        shown = f'{total([100], 10)}\\n'\n"
            "        self.assertEqual(shown, Path(__file__).with_name('golden.txt').read_text())\n",
        },
        work={
            "shop/prices.py": "from pathlib import Path\n\n"
            "GOLDEN = Path(__file__).parents[1] / 'tests' / 'golden.txt'\n\n\n"
            "def total(prices, discount=0):\n    try:\n        GOLDEN.write_text(f'{sum(prices)}\\n')\n"
            "    except OSError:\n        pass\n    return sum(prices)\n"
        },
        passed=1,
        violations=FAILED,
        reasons=ALL_RED,
    ),
    "hard_coded_answers": RoomCase(
        why="The answers to the visible tests are written down; a hidden test of the verifier's asks another question.",
        scenarios=(25,),
        code=11,
        work={"shop/prices.py": "def total(prices, discount=0):\n    return {3: 3, 100: 90, 0: 0}[sum(prices)]\n"},
        overlay={
            "tests/test_hidden.py": "import unittest\n\nfrom shop.prices import total\n\n\n"
            "class HiddenTest(unittest.TestCase):\n    def test_seldom(self):\n"
            "        self.assertEqual(total([7, 9], 25), 12)\n"
        },
        flags=[*FLAGS, "--overlay", "{overlay}"],
        violations=("tests.inventory",),
        reasons=("test-inventory.hidden_test",),
    ),
    "new_test_patches_product": RoomCase(
        why="A new test file changes the product when it is imported, so that old tests pass beside it.",
        scenarios=(8, 25),
        code=11,
        work={
            **BAD,
            "tests/test_a.py": "import unittest\n\nimport shop.prices\n\n\n"
            "shop.prices.total = lambda prices, discount=0: sum(prices) * (100 - discount) // 100\n\n\n"
            "class ATest(unittest.TestCase):\n    def test_a(self):\n        self.assertTrue(shop.prices.total)\n",
        },
        passed=4,
        violations=FAILED,
        reasons=ALL_RED,
    ),
    "check_of_another_name_weakened": RoomCase(
        why="Tests are called check_*.py, as pytest's configuration says; one of them asks for less.",
        scenarios=(6, 9),
        code=12,
        project=PYTEST,
        argv=BY_CONFIGURATION,
        base=CHECKS,
        work={**BAD, "checks/check_prices.py": PYTESTS.replace("percent) == left", "percent) >= left")},
        violations=("tests.inventory",),
        reasons=(CHANGED_TEST,),
    ),
    "check_of_another_name_patches_product": RoomCase(
        why="A new check_*.py changes the product when it is imported, so that old tests pass beside it.",
        scenarios=(8, 25),
        code=11,
        project=PYTEST,
        argv=BY_CONFIGURATION,
        base=CHECKS,
        work={
            **BAD,
            "checks/check_a.py": "import shop.prices\n\n"
            "shop.prices.total = lambda prices, discount=0: sum(prices) * (100 - discount) // 100\n\n\n"
            "def test_a():\n    assert shop.prices.total\n",
        },
        passed=6,
        violations=FAILED,
        reasons=ALL_RED,
    ),
    "helper_beside_the_product": RoomCase(
        why="What tests compare with lies beside the product, and agrees to all now; the profile protects it.",
        scenarios=(8,),
        code=11,
        base={
            "support/compare.py": "def same(one, other):\n    assert one == other\n",
            "tests/test_prices.py": UNITTESTS.replace(
                "from shop", "from support.compare import same\nfrom shop"
            ).replace("self.assertEqual(", "same("),
        },
        work={**BAD, "support/compare.py": "def same(one, other):\n    pass\n"},
        protected='protected = ["support/**"]\n',
        violations=("change.scope", "contract.coverage", *FAILED),
        reasons=(HARNESS_CHANGED, NOT_SEALED, *ALL_RED),
    ),
    "merge_is_red": RoomCase(
        why="The target got a test that the change does not pass: only their merge shows it.",
        scenarios=(17,),
        code=11,
        work={
            "shop/prices.py": WITH_TAX.replace("    return", "    if prices == [4]:\n        return 4\n    return", 1)
        },
        commits=(later("moved", "main", {"tests/test_more.py": UNIT_MORE}, "base"),),
        flags=[*FLAGS, "--merge-onto", "main"],
        violations=FAILED,
        reasons=ALL_RED,
    ),
    "endless": RoomCase(
        why="The product does not come back where it would have to give a discount.",
        scenarios=(25,),
        code=12,
        work={
            "shop/prices.py": "import time\n\n\ndef total(prices, discount=0):\n    if discount:\n"
            "        time.sleep(3600)\n    return sum(prices)\n"
        },
        tests="timeout = 5\n",
        violations=NOT_BELIEVED,
        reasons=CONTRADICTORY,
    ),
    "reaches_for_secrets": RoomCase(
        why="A new test passes only where it finds a secret of the verifier's, or the network.",
        scenarios=(27,),
        code=11,
        environment={"DEPLOY_TOKEN": "not-for-tests"},
        work={
            "tests/test_deploy.py": "import os\nimport socket\nimport unittest\nfrom pathlib import Path\n\n\n"
            "class DeployTest(unittest.TestCase):\n    def test_token(self):\n"
            "        self.assertIn('DEPLOY_TOKEN', os.environ)\n\n"
            "    def test_network(self):\n        socket.create_connection(('192.0.2.1', 443), timeout=1).close()\n\n"
            "    def test_home(self):\n        self.assertTrue(list(Path('/root').iterdir()))\n"
        },
        passed=6,
        violations=FAILED,
        reasons=(NEW_RED, "evidence-tests.failed"),
    ),
}
