import unittest

from shop.prices import total, with_tax


class HiddenTest(unittest.TestCase):
    def test_seldom(self):
        self.assertEqual((total([7, 9], 25), with_tax(200, 7)), (12, 214))
