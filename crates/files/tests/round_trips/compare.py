"""Compares workbooks with the files that Quadrille writes after reading them.

    python compare.py REPORT FOLDER [--allow FILE] [--show FEATURE]

REPORT is the output of the example `round_trip`, FOLDER has the written files. Every feature that differs in
some file must have a row in the list of allowed differences; a new loss fails, and so does one that the
warnings of the reader and the losses of the writer do not name.
"""

import argparse
import json
import multiprocessing
import os
import re
import sys
import warnings
from collections import defaultdict

import cells
import parts

# Places of a difference that are printed.
SHOWN = 6


def features_of(path):
    features, _ = cells.collect(path)
    for feature, found in parts.collect(path).items():
        features[feature].update(found)
    return features


def is_same(feature, before, after):
    """Whether two values agree within the precision with which programs store them."""
    if before is None or after is None:
        return before is after
    if feature in ("column widths", "row heights"):
        pairs = zip(before, after) if isinstance(before, tuple) else [(before, after)]
        # A third of a character, or two pixels: widths follow the digits of the default font.
        return all(a == b or a and b and abs(a - b) <= (2 if feature == "row heights" else 0.34) for a, b in pairs)
    if feature == "values":
        try:
            return abs(float(before) - float(after)) <= 1e-12 * abs(float(before))
        except ValueError:
            return before.replace("\r\n", "\n") == after.replace("\r\n", "\n")
    return is_like(before, after)


def is_like(before, after):
    if isinstance(before, str) and isinstance(after, str) and len(before) == len(after) == 6:
        try:
            pairs = zip(bytes.fromhex(before), bytes.fromhex(after))
            return all(abs(a - b) <= 2 for a, b in pairs)
        except ValueError:
            pass
    if isinstance(before, dict) and isinstance(after, dict):
        return before.keys() == after.keys() and all(is_like(before[key], after[key]) for key in before)
    if isinstance(before, (list, tuple)) and isinstance(after, (list, tuple)):
        return len(before) == len(after) and all(is_like(a, b) for a, b in zip(before, after))
    return before == after


def compare(job):
    """The differences of one file: feature → [(place, before, after)]."""
    report, written = job
    warnings.simplefilter("ignore")
    try:
        before = features_of(report["file"])
    except Exception as error:  # What openpyxl cannot read, it cannot compare.
        return report, None, f"{type(error).__name__}: {error}"
    after = features_of(written)
    found = defaultdict(list)
    for feature in (before.keys() | after.keys()) - {cells.CELLS, cells.DEFAULTS}:
        for place in before[feature].keys() | after[feature].keys():
            values = value(before, feature, place), value(after, feature, place)
            # What a program adds for itself is not lost.
            is_added = values[0] is None and feature in ("theme", "document properties", "views", "page setup")
            if not is_added and not is_same(feature, *values):
                found[feature].append((place, *values))
    return report, found, None


def value(features, feature, place):
    """The value at a place; cells without their own entry in the file have the format of row or column."""
    found = features[feature].get(place)
    if feature == "column widths" and found is None:
        return features[cells.DEFAULTS].get(place.split("!")[0] + "!")
    if feature not in cells.FORMATS or found is not None or place in features[cells.CELLS]:
        return found
    sheet, letters, digits = re.fullmatch(r"(\d+!)([A-Z]*)(\d*)", place).groups()
    if not letters or not digits:
        return None
    return features[feature].get(sheet + digits) or features[feature].get(sheet + letters)


def allowed_differences(path):
    """Feature → (files at most, words by which reports name it or `-`)."""
    rows = [line.rstrip("\n").split("\t") for line in open(path) if line.strip() and not line.startswith("#")]
    return {feature: (int(files), named) for feature, files, named, _reason in rows}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("report")
    parser.add_argument("folder")
    parser.add_argument("--allow")
    parser.add_argument("--show")
    options = parser.parse_args()
    reports = [json.loads(line) for line in open(options.report)]
    failures = [f"{r['file']}: the reader panics" for r in reports if r.get("panic")]
    rejected = [report for report in reports if "error" in report]
    for report in rejected:
        print(f"not read: {os.path.basename(report['file'])}: {report['error']}")
    jobs = [
        (report, os.path.join(options.folder, f"{index}.xlsx"))
        for index, report in enumerate(reports)
        if "warnings" in report
    ]
    with multiprocessing.Pool(os.cpu_count()) as pool:
        results = pool.map(compare, jobs, chunksize=4)
    files, places, unnamed, examples, compared = defaultdict(set), defaultdict(int), defaultdict(set), {}, 0
    allowed = allowed_differences(options.allow) if options.allow else {}
    for report, found, error in results:
        name = os.path.basename(report["file"])
        if error:
            print(f"not compared: {name}: {error}")
            continue
        compared += 1
        said = " ".join(report["warnings"] + [loss["kind"] + " " + loss["text"] for loss in report["losses"]])
        for feature, differences in found.items():
            files[feature].add(name)
            places[feature] += len(differences)
            words = allowed.get(feature, (0, "-"))[1]
            if words != "-" and not any(word in said for word in words.split("|")):
                unnamed[feature].add(name)
            examples.setdefault(feature, []).append((name, sorted(differences, key=str)[:SHOWN]))
    print(f"{len(reports)} files, {compared} compared")
    for feature in sorted(files, key=lambda feature: -len(files[feature])):
        print(f"{len(files[feature]):5} files {places[feature]:7} places  {feature}")
    if options.show:
        for name, differences in examples.get(options.show, []):
            for difference in differences:
                print(f"{name}: {difference}")
    if options.allow:
        failures += check(files, unnamed, allowed, examples)
        print("\n".join(failures) or "every difference is allowed and named")
        sys.exit(1 if failures or not compared else 0)


def check(files, unnamed, allowed, examples):
    failures = []
    for feature, names in files.items():
        most = allowed.get(feature, (0, "-"))[0]
        if len(names) > most:
            failures.append(f"{feature}: differs in {len(names)} files, allowed are {most}: {examples[feature][:2]}")
        if unnamed[feature]:
            failures.append(f"{feature}: not named by warnings or losses in {sorted(unnamed[feature])[:5]}")
    for feature, (most, _) in allowed.items():
        if len(files.get(feature, ())) < most:
            failures.append(f"{feature}: differs in {len(files.get(feature, ()))} files; lower the allowed {most}")
    return failures


if __name__ == "__main__":
    main()
