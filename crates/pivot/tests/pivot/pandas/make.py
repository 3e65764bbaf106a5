"""Writes sales.tsv and expected.tsv: what pandas gives for the groupings of tests/pandas.rs.

Run with pandas 3.1: python3 make.py
"""

import itertools
import math
import random

import pandas as pd

random.seed(19)
REGIONS = ["East", "North", "South", "West"]
PRODUCTS = ["Apples", "Pears", "Plums"]
rows = []
for number in range(90):
    amount = "" if random.random() < 0.08 else round(random.uniform(-50, 900), 2)
    # Serial numbers of 1 January 2023 and later: days since 30 December 1899.
    day = pd.Timestamp("2023-01-01") + pd.Timedelta(days=random.randrange(800))
    rows.append([random.choice(REGIONS), random.choice(PRODUCTS), (day - pd.Timestamp("1899-12-30")).days,
                 random.randrange(1, 40), amount])
header = ["Region", "Product", "Date", "Units", "Amount"]
with open("sales.tsv", "w") as file:
    for row in [header, *rows]:
        file.write("\t".join(str(cell) for cell in row) + "\n")

data = pd.DataFrame(rows, columns=header)
data["Amount"] = pd.to_numeric(data["Amount"])
date = pd.Timestamp("1899-12-30") + pd.to_timedelta(data["Date"], unit="D")
data["year"] = date.dt.year
data["quarter"] = date.dt.quarter
data["step"] = data["Units"] // 10 * 10

FUNCTIONS = {
    "sum": lambda column: column.sum(),
    "count": lambda column: column.count(),
    "countNumbers": lambda column: column.count(),
    "countUnique": lambda column: column.nunique(),
    "average": lambda column: column.mean(),
    "minimum": lambda column: column.min(),
    "maximum": lambda column: column.max(),
    "median": lambda column: column.median(),
    "product": lambda column: column.prod(),
    "deviation": lambda column: column.std(),
    "deviationPopulation": lambda column: column.std(ddof=0),
    "variance": lambda column: column.var(),
    "variancePopulation": lambda column: column.var(ddof=0),
}
AXES = [
    (["Region"], []),
    (["Region", "Product"], []),
    (["Region"], ["Product"]),
    (["Region", "Product"], ["year", "quarter"]),
    ([], ["step"]),
    (["year", "Region"], ["step"]),
]
with open("expected.tsv", "w") as file:
    for (row_fields, column_fields), (name, function) in itertools.product(AXES, FUNCTIONS.items()):
        for row_depth, column_depth in itertools.product(
            range(len(row_fields) + 1), range(len(column_fields) + 1)
        ):
            keys = row_fields[:row_depth] + column_fields[:column_depth]
            groups = data.groupby(keys) if keys else [((), data)]
            if len(row_fields) + len(column_fields) > 2 and name not in ("sum", "average", "median"):
                continue
            for labels, group in groups:
                labels = [str(label) for label in labels]
                value = function(group["Amount"])
                if pd.isna(value) or math.isinf(value):
                    continue
                file.write("\t".join([
                    name, ",".join(row_fields), ",".join(column_fields),
                    ",".join(labels[:row_depth]), ",".join(labels[row_depth:]), repr(float(value)),
                ]) + "\n")
