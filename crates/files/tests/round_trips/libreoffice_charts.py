"""Charts and images of .ods files and LibreOffice (`soffice` of the machine), beside the .xlsx files that both are made of.

    python libreoffice_charts.py compare PROGRAM     LibreOffice reads what Quadrille writes
    python libreoffice_charts.py fixtures            LibreOffice writes the fixtures of `ods_charts.rs`

`compare` converts .xlsx files with charts to .ods with PROGRAM (`target/debug/examples/round_trip`), and these
to .xlsx with LibreOffice. openpyxl compares the charts: places, types, grouping, titles, ranges, trendlines,
error bars and scales.
"""

import re
import subprocess
import sys
import tempfile
import warnings
import zipfile
from pathlib import Path

import openpyxl

FIXTURES = Path(__file__).parent.parent / "fixtures"
# Files of XlsxWriter and openpyxl; see `charts.rs`.
SOURCES = ["charts", "chart-statistics", "chart-forecasts", "stock-charts", "rare-charts"]
# Parts that say nothing about charts: pictures of them, and what every file of LibreOffice has.
LEFT_OUT = re.compile(r"ObjectReplacements/|Thumbnails/|Configurations2/|manifest\.rdf|(Object \d+/)?(meta|styles)\.xml")


def soffice(kind, files, folder):
    profile = f"-env:UserInstallation=file://{folder}/profile"
    command = ["soffice", "--headless", profile, "--convert-to", kind, "--outdir", folder, *files]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def reference(source):
    found = source and (getattr(source, "strRef", None) or getattr(source, "numRef", None))
    # LibreOffice has quotes around names that are in no cell.
    return found and re.sub("['$]", "", found.f).strip('"')


def title(chart):
    if chart.title is None or chart.title.tx is None or chart.title.tx.rich is None:
        return None
    runs = (run.t for paragraph in chart.title.tx.rich.p for run in paragraph.r or [])
    return "".join(runs)


def series(chart, one):
    values = one.val or one.yVal
    # Quadrille has no error bars along the x axis and none with a value for each point, and says so.
    is_read = one.errBars and one.errBars.errDir != "x" and one.errBars.errValType != "cust"
    bars = [one.errBars] if is_read else []
    trend = one.trendline
    return {
        "name": reference(one.tx) if one.tx and one.tx.strRef else one.tx and one.tx.v,
        "values": reference(values),
        "categories": reference(one.cat or one.xVal),
        "sizes": reference(one.bubbleSize),
        "trendline": trend and (trend.trendlineType, trend.order if trend.trendlineType == "poly" else None,
                                trend.period if trend.trendlineType == "movingAvg" else None,
                                trend.forward or None, trend.backward or None, trend.intercept,
                                bool(trend.dispEq), bool(trend.dispRSqr)),
        "error bars": [(bar.errBarType, bar.errValType) for bar in bars],
    }


def kind(part):
    """The class of a chart; Quadrille draws 3-D charts flat, and pies of pies as pies."""
    return type(part).__name__.replace("3D", "").replace("Projected", "")


def described(chart):
    parts = [chart, *(part for part in chart._charts if part is not chart)]
    described = {
        "title": title(chart),
        "legend": chart.legend and chart.legend.position,
        "parts": sorted((kind(part), str(getattr(part, "grouping", None))) for part in parts),
        "series": [series(part, one) for part in parts for one in part.series],
    }
    # Scales of the axis of values; stock charts with volumes have it as the second one.
    scales = (part.y_axis.scaling for part in parts if getattr(part, "y_axis", None) is not None)
    described["scales"] = sorted({str((scale.min, scale.max, scale.logBase)) for scale in scales})
    return described


def charts(path):
    workbook = openpyxl.load_workbook(path)
    found = {}
    for sheet in workbook:
        for chart in sheet._charts:
            if kind(chart) == "SurfaceChart":
                continue  # Neither program has them.
            place = chart.anchor._from
            found[(sheet.title, place.row, place.col)] = described(chart)
    return found


def compare(program):
    differences = 0
    with tempfile.TemporaryDirectory() as folder:
        Path(f"{folder}/list").write_text("\n".join(str(FIXTURES / f"{name}.xlsx") for name in SOURCES))
        subprocess.run([program, f"{folder}/list", folder, "ods"], check=True, stdout=subprocess.DEVNULL)
        for index, name in enumerate(SOURCES):
            Path(f"{folder}/{index}.ods").rename(f"{folder}/{name}.ods")
        soffice("xlsx", [f"{folder}/{name}.ods" for name in SOURCES], folder)
        for name in SOURCES:
            before, after = charts(FIXTURES / f"{name}.xlsx"), charts(f"{folder}/{name}.xlsx")
            for place in sorted(before.keys() | after.keys()):
                if before.get(place) != after.get(place):
                    for feature in before.get(place) or {"chart": None}:
                        values = [(found.get(place) or {}).get(feature) for found in (before, after)]
                        if values[0] != values[1]:
                            differences += 1
                            print(f"{name} {place} {feature}:\n    {values[0]}\n    {values[1]}")
            print(f"{name}: {len(before)} charts, {len(after)} after LibreOffice")
    sys.exit(1 if differences else 0)


def with_anchors(source, target, kept):
    """A workbook with some of its charts: all in one file would be a large fixture."""
    with zipfile.ZipFile(source) as before, zipfile.ZipFile(target, "w") as after:
        for name in before.namelist():
            data = before.read(name)
            if name == "xl/drawings/drawing1.xml":
                anchors = iter(range(99))
                anchor = rb"<xdr:twoCellAnchor.*?</xdr:twoCellAnchor>"
                data = re.sub(anchor, lambda found: found.group() if next(anchors) in kept else b"", data)
            after.writestr(name, data)


def with_images(target):
    """A flat document of LibreOffice with an image of two pixels in a cell, and another one that has a place only."""
    data = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAADUlEQVR4nGP4zwAE/wEHAAH/4iOeWQAAAABJRU5ErkJggg=="
    image = f"<draw:image><office:binary-data>{data}</office:binary-data></draw:image>"
    names = {"office": "office:1.0", "table": "table:1.0", "draw": "drawing:1.0", "svg": "svg-compatible:1.0"}
    spaces = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{space}"' for name, space in names.items())
    media = "application/vnd.oasis.opendocument.spreadsheet"
    frame = '<draw:frame svg:width="{}pt" svg:height="{}pt" svg:x="{}pt" svg:y="{}pt">' + image + "{}</draw:frame>"
    Path(target).write_text(
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<office:document {spaces} office:version="1.3" office:mimetype="{media}"><office:body><office:spreadsheet>'
        '<table:table table:name="Stand"><table:shapes>' + frame.format(48, 24, 300, 60, "") + "</table:shapes>"
        "<table:table-row><table:table-cell/></table:table-row><table:table-row><table:table-cell/><table:table-cell>"
        + frame.format(150, 75, 3, 6, "<svg:desc>Our &lt;stand&gt;</svg:desc>")
        + "</table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document>"
    )


def fixtures():
    with tempfile.TemporaryDirectory() as folder:
        with_images(f"{folder}/images-libreoffice.fods")
        with_anchors(FIXTURES / "charts.xlsx", f"{folder}/charts-libreoffice.xlsx", range(5))
        with_anchors(FIXTURES / "charts.xlsx", f"{folder}/more-charts-libreoffice.xlsx", range(5, 9))
        for name in ["chart-statistics", "chart-forecasts", "stock-charts", "rare-charts"]:
            Path(f"{folder}/{name}-libreoffice.xlsx").write_bytes((FIXTURES / f"{name}.xlsx").read_bytes())
        soffice("ods", sorted(file for file in Path(folder).iterdir() if file.suffix in (".xlsx", ".fods")), folder)
        for file in Path(folder).glob("*.ods"):
            with zipfile.ZipFile(file) as before, zipfile.ZipFile(FIXTURES / file.name, "w") as after:
                for name in before.namelist():
                    if not LEFT_OUT.match(name):
                        # The first part is not compressed, so that programs recognize the file.
                        method = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
                        after.writestr(name, before.read(name), method, 9)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    match sys.argv[1:]:
        case ["compare", program]:
            compare(program)
        case ["fixtures"]:
            fixtures()
        case _:
            sys.exit(__doc__)
