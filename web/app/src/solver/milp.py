"""Writes milp.json: linear programs with the results of SciPy 1.17 (HiGHS), for linear-program.test.ts.

Usage: python milp.py > milp.json
"""

import json

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

random = np.random.default_rng(7)
cases = []
while len(cases) < 60:
    variables, rows = int(random.integers(2, 7)), int(random.integers(1, 6))
    matrix = random.integers(-4, 10, (rows, variables)).astype(float)
    limits = random.integers(-5, 60, rows).astype(float)
    operators = [str(one) for one in random.choice(["<=", ">=", "="], rows, p=[0.7, 0.2, 0.1])]
    objective = random.integers(-3, 12, variables).astype(float)
    kinds = [str(one) for one in random.choice(["real", "integer", "binary"], variables, p=[0.5, 0.35, 0.15])]
    is_free = bool(random.random() < 0.2)
    is_maximum = bool(random.random() < 0.6)
    lower = [limit if operator != "<=" else -np.inf for limit, operator in zip(limits, operators)]
    upper = [limit if operator != ">=" else np.inf for limit, operator in zip(limits, operators)]
    bounds = Bounds(
        [0 if kind == "binary" or not is_free else -np.inf for kind in kinds],
        [1 if kind == "binary" else np.inf for kind in kinds],
    )
    def solve(integrality):
        return milp(
            -objective if is_maximum else objective,
            constraints=LinearConstraint(matrix, lower, upper),
            bounds=bounds,
            integrality=integrality,
        )

    result = solve([0 if kind == "real" else 1 for kind in kinds])
    status = {0: "optimal", 2: "infeasible", 3: "unbounded", 4: "unknown"}[result.status]
    # Without integer solutions, a program whose relaxation is unbounded may be called either.
    if status == "unknown" or status == "infeasible" and solve([0] * variables).status == 3:
        continue
    value = None if result.fun is None else round((-1 if is_maximum else 1) * float(result.fun), 9)
    cases.append({
        "matrix": matrix.tolist(), "limits": limits.tolist(), "operators": operators, "objective": objective.tolist(),
        "kinds": kinds, "isFree": is_free, "isMaximum": is_maximum, "status": status, "value": value if status == "optimal" else None,
    })
print("[\n" + ",\n".join(" " + json.dumps(case) for case in cases) + "\n]")
