import unittest

from shop.prices import total


class HiddenTest(unittest.TestCase):
    def test_seldom(self):
        self.assertEqual(total([7, 9], 25), 12)
