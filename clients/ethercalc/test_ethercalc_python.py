"""The package `ethercalc-python` of PyPI, written for EtherCalc, against the server at QUADRILLE_URL.

The expected values are those of EtherCalc 0.20200127.
"""

import datetime
import json
import os
import unittest

from ethercalc import EtherCalc
from requests import HTTPError

SERVER = EtherCalc(os.environ["QUADRILLE_URL"].rstrip("/"))


class EtherCalcPythonTest(unittest.TestCase):
    def test_rooms_are_made_from_csv_and_changed_by_commands(self):
        made = SERVER.create("Region,Units\nNorth,3\n", "csv", "python-made")
        self.assertEqual(made.status_code, 202)
        carried_out = SERVER.command("python-made", ["set C2 formula B2*2", "set A3 text t South"])
        self.assertEqual(
            carried_out, {"command": ["set C2 formula B2*2", "set A3 text t South"]}
        )
        # EtherCalc appends below the first row, which is blank in a new room.
        cells = SERVER.cells("python-made")
        self.assertEqual(cells["A2"]["datavalue"], "Region")
        self.assertEqual(cells["A3"]["datavalue"], "South")

    def test_a_replaced_room_is_read_in_every_form(self):
        SERVER.update("Region,Units\nNorth,3\nSouth,4.5\n", "csv", "python-read")
        SERVER.command("python-read", "set C2 formula B2*2")
        self.assertEqual(
            SERVER.export("python-read"),
            [["Region", "Units", None], ["North", 3.0, 6.0], ["South", 4.5, None]],
        )
        self.assertEqual(SERVER.cells("python-read", "C2")["formula"], "B2*2")
        self.assertEqual(
            SERVER.export("python-read", "csv"), "Region,Units,\nNorth,3,6\nSouth,4.5,\n"
        )
        self.assertEqual(
            json.loads(SERVER.export("python-read", "json")),
            [["Region", "Units", ""], ["North", "3", "6"], ["South", "4.5", ""]],
        )
        self.assertIn("cell:C2:vtf:n:6:B2*2", SERVER.export("python-read", "socialcalc"))
        self.assertIn(">Region</td>", SERVER.export("python-read", "html"))
        self.assertIn("Region", SERVER.export("python-read", "md"))

    def test_dates_are_dates_of_python(self):
        SERVER.command("python-dates", ["set A1 constant nd 44197 2021-01-01"])
        self.assertEqual(SERVER.export("python-dates"), [[datetime.date(2021, 1, 1)]])

    def test_a_save_moves_to_another_room(self):
        SERVER.update("1,2\n", "csv", "python-save")
        save = SERVER.export("python-save", "socialcalc")
        SERVER.update(save, "python", "python-copy")
        self.assertEqual(SERVER.export("python-copy"), [[1.0, 2.0]])

    def test_a_room_without_a_name_gets_one(self):
        self.assertRegex(SERVER.create("1\n", "csv").text, "^/[0-9a-z]{12}$")

    def test_a_missing_room_is_an_error(self):
        with self.assertRaises(HTTPError):
            SERVER.cells("python-missing")


unittest.main()
