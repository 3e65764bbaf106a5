"""Pivot tables beside DuckDB: the same million rows and the same aggregations in one run.

    pip install duckdb
    python3 bench/peers/pivot/compare.py

DuckDB runs on one thread, as Quadrille does, and then on all. Its rows are in a table in memory. Its
time of an edit is that of an UPDATE of one row and of the query again, since a pivot table shows the
new values after each edit. The results are compared by the sum of all values. Writes
`bench/results/pivot.json` and prints ratios; above 1, Quadrille is faster.
"""

import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ["cargo", "run", "--quiet", "--release", "--package", "quadrille-pivot", "--example", "pivot_timings", "--"]
EDITS = 20
QUERIES = {
    "sum by region and product": "SELECT Region, Product, SUM(Amount) AS v FROM t GROUP BY ALL ORDER BY ALL",
    "sum by product and region beside": "SELECT * FROM (PIVOT t ON Region USING SUM(Amount) GROUP BY Product) ORDER BY Product",
    # 1899-12-30 is the day 0 of spreadsheets.
    "sum by month and region": "SELECT * FROM (PIVOT (SELECT month(DATE '1899-12-30' + Day::INTEGER) AS m, Region, Amount FROM t)"
    " ON Region USING SUM(Amount) GROUP BY m) ORDER BY m",
    "median by region and product": "SELECT Region, Product, MEDIAN(Amount) AS v FROM t GROUP BY ALL ORDER BY ALL",
    "sum, one group": "SELECT SUM(Amount) AS v FROM t",
}


def milliseconds(work):
    start = time.perf_counter()
    result = work()
    return (time.perf_counter() - start) * 1000, result


def checksum(rows):
    # Labels are texts, and the month is an integer.
    return sum(value for row in rows for value in row if isinstance(value, float))


def measure_duckdb(rows_file, threads):
    connection = duckdb.connect()
    connection.execute(f"SET threads = {threads}")
    connection.execute(f"CREATE TABLE t AS SELECT row_number() OVER () AS id, * FROM read_csv('{rows_file}')")
    connection.execute("ALTER TABLE t ALTER Amount TYPE DOUBLE")
    measured = {}
    for name, query in QUERIES.items():
        query = query.replace("PIVOT t ", "PIVOT (SELECT Region, Product, Amount FROM t) ")
        firsts = [milliseconds(lambda: connection.execute(query).fetchall()) for _ in range(3)]
        connection.execute("BEGIN")
        edits = []
        for edit in range(EDITS):
            def change():
                connection.execute("UPDATE t SET Amount = ? WHERE id = ?", [float(edit), edit * 9973 + 1])
                return connection.execute(query).fetchall()
            edits.append(milliseconds(change)[0])
        connection.execute("ROLLBACK")
        measured[name] = {
            "firstMs": round(min(time for time, _ in firsts), 3),
            "editMs": round(sorted(edits)[EDITS // 2], 3),
            "checksum": round(checksum(firsts[0][1]), 2),
        }
    return measured


def main():
    with tempfile.TemporaryDirectory() as folder:
        rows_file = os.path.join(folder, "rows.csv")
        lines = subprocess.run([*EXAMPLE, "--csv", rows_file], cwd=ROOT, check=True, capture_output=True, text=True)
        ours = {}
        for line in lines.stdout.splitlines():
            name, first, edit, total = line.split("\t")
            ours[name] = {"firstMs": float(first), "editMs": float(edit), "checksum": float(total)}
        threads = os.cpu_count() or 1
        peers = {"duckdb1": measure_duckdb(rows_file, 1), "duckdbAll": measure_duckdb(rows_file, threads)}
    for name, own in ours.items():
        for peer, measured in peers.items():
            other = measured[name]
            if abs(own["checksum"] - other["checksum"]) > 1e-6 * abs(own["checksum"]):
                sys.exit(f"{name}: {own['checksum']} here, {other['checksum']} in {peer}")
        ratios = [f"{peers[peer][name][key] / own[key]:.1f}" for peer in peers for key in ("firstMs", "editMs")]
        print(f"{name}: {own['firstMs']:.0f} ms, edit {own['editMs']:.2f} ms; ratios, one thread and {threads}: {', '.join(ratios)}")
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True)
    result = {
        "workload": "a million rows: region (8), product (200), day of three years, amount",
        "date": datetime.date.today().isoformat(),
        "commit": commit.stdout.strip(),
        "machine": f"{platform.machine()}, {threads} cores, {platform.system()} {platform.release()}",
        "scheduling": "chrt -r 10" if os.sched_getscheduler(0) == os.SCHED_RR else "default",
        "duckdb": duckdb.__version__,
        "quadrille": ours,
        **peers,
    }
    (ROOT / "bench/results/pivot.json").write_text(json.dumps(result, indent=2) + "\n")


main()
