"""Reads ranges as typed columns with pandas, polars, pyarrow and DuckDB, from the server at QUADRILLE_URL."""

import datetime
import io
import os
import tempfile
import unittest
from urllib.request import Request, urlopen

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa

ROOM = f"{os.environ['QUADRILLE_URL'].rstrip('/')}/api/v1/rooms/typed"
RANGE = f"{ROOM}/sheets/Sheet1/cells/A:E"
CSV = '''Day,Units,Paid,Note,Ratio
2024-01-01,3,TRUE,first,50%
2024-01-02,,FALSE,12%,=1/0
2024-02-29,=B2/7,,"ü, ""x""",1
'''
DAYS = [datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 2), datetime.datetime(2024, 2, 29)]
ROWS = list(
    zip(
        DAYS,
        [3.0, None, 3 / 7],
        [True, False, None],
        ["first", "12%", 'ü, "x"'],
        [0.5, None, 1.0],
    )
)


def put(address, csv):
    request = Request(address, csv.encode(), {"content-type": "text/csv"}, method="PUT")
    with urlopen(request) as answer:
        assert answer.status in (200, 201)


def read(address):
    with urlopen(address) as answer:
        return answer.read()


class TypedColumnsTest(unittest.TestCase):
    def setUp(self):
        put(ROOM, CSV)

    def check(self, rows):
        self.assertEqual([tuple(row) for row in rows], ROWS)

    def test_pandas_reads_parquet(self):
        frame = pd.read_parquet(f"{RANGE}?format=parquet")
        self.assertEqual(list(frame.columns), ["Day", "Units", "Paid", "Note", "Ratio"])
        self.assertEqual(frame["Day"].dt.month.tolist(), [1, 1, 2])
        self.assertEqual(frame["Units"].sum(), 3 + 3 / 7)
        self.assertEqual(frame["Note"].tolist(), ["first", "12%", 'ü, "x"'])

    def test_polars_reads_parquet_and_arrow(self):
        self.check(pl.read_parquet(io.BytesIO(read(f"{RANGE}?format=parquet"))).rows())
        self.check(pl.read_ipc_stream(io.BytesIO(read(f"{RANGE}?format=arrow"))).rows())

    def test_pyarrow_reads_arrow(self):
        table = pa.ipc.open_stream(read(f"{RANGE}?format=arrow")).read_all()
        table.validate(full=True)
        self.check(row.values() for row in table.to_pylist())
        types = [str(column.type) for column in table.schema]
        self.assertEqual(types, ["timestamp[ms]", "double", "bool", "large_string", "double"])

    def test_duckdb_queries_parquet(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "typed.parquet")
            with open(file, "wb") as out:
                out.write(read(f"{RANGE}?format=parquet"))
            self.check(duckdb.sql(f"SELECT * FROM '{file}'").fetchall())
            total = duckdb.sql(f"SELECT sum(Units) FROM '{file}' WHERE Paid").fetchall()
            self.assertEqual(total, [(3.0,)])

    def test_many_rows_are_several_pages_and_batches(self):
        count = 70_000
        put(ROOM, "Number,Text\n" + "".join(f"{row},{'' if row % 3 else f't {row}'}\n" for row in range(count)))
        expected = [(float(row), None if row % 3 else f"t {row}") for row in range(count)]
        address = f"{ROOM}/sheets/Sheet1/cells/A:B?format="
        self.assertEqual(pl.read_parquet(io.BytesIO(read(address + "parquet"))).rows(), expected)
        table = pa.ipc.open_stream(read(address + "arrow")).read_all()
        table.validate(full=True)
        self.assertEqual([tuple(row.values()) for row in table.to_pylist()], expected)

    def test_a_header_alone_has_columns_and_no_rows(self):
        address = f"{ROOM}/sheets/Sheet1/cells/A1:B1?format="
        for frame in [
            pl.read_parquet(io.BytesIO(read(address + "parquet"))),
            pl.read_ipc_stream(io.BytesIO(read(address + "arrow"))),
        ]:
            self.assertEqual((frame.columns, frame.height), (["Day", "Units"], 0))


if __name__ == "__main__":
    unittest.main()
