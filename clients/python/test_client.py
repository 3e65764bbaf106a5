"""Tests of the installed library and of data frames, against the server at QUADRILLE_URL."""

import os
import unittest
from urllib.request import urlopen

import pandas as pd
import polars as pl
from quadrille_client import Client
from quadrille_client.api.default import append_rows, read_cells, read_room, replace_room
from quadrille_client.models import Error, GivenRows

URL = os.environ["QUADRILLE_URL"].rstrip("/")
CLIENT = Client(base_url=URL)


def make_room(room, csv):
    answer = CLIENT.get_httpx_client().put(
        f"/api/v1/rooms/{room}", content=csv.encode(), headers={"content-type": "text/csv"}
    )
    assert answer.status_code in (200, 201), answer.text


class ClientTest(unittest.TestCase):
    def test_cells_are_appended_and_read(self):
        make_room("from-python", "Region,Units\nNorth,3\n")
        rows = GivenRows.from_dict({"rows": [["South", {"formula": "=B2*2"}]]})
        for _ in range(2):
            written = append_rows.sync(
                "from-python", "Sheet1", client=CLIENT, body=rows, idempotency_key="one-row"
            )
            self.assertEqual(written.range_, "A3:B3")
        cells = read_cells.sync("from-python", "Sheet1", "A2:B3", client=CLIENT)
        values = [[cell.value for cell in row] for row in cells.cells]
        self.assertEqual(values, [["North", 3], ["South", 6]])

    def test_errors_are_values(self):
        error = read_room.sync("nothing", client=CLIENT)
        self.assertIsInstance(error, Error)
        self.assertEqual(error.error.code, "no_such_room")

    def test_every_operation_has_a_function(self):
        self.assertTrue(callable(replace_room.sync))


class DataFrameTest(unittest.TestCase):
    ADDRESS = f"{URL}/api/v1/rooms/frames?format=csv&sheet=Sheet1&raw"

    def setUp(self):
        make_room("frames", "Region,Units,Price\nNorth,3,1.5\nSouth,4,=B3/3\n")

    def test_pandas_reads_a_sheet(self):
        frame = pd.read_csv(self.ADDRESS)
        self.assertEqual(frame["Units"].sum(), 7)
        self.assertEqual(frame["Price"][1], 4 / 3)

    def test_polars_reads_a_sheet(self):
        frame = pl.read_csv(urlopen(self.ADDRESS).read())
        self.assertEqual(frame["Units"].sum(), 7)
        self.assertEqual(frame["Price"][1], 4 / 3)

    def test_a_frame_becomes_a_workbook(self):
        frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
        make_room("from-frame", frame.to_csv(index=False))
        again = pd.read_csv(f"{URL}/api/v1/rooms/from-frame?format=csv")
        self.assertTrue(again.equals(frame))


if __name__ == "__main__":
    unittest.main()
