"""Contents of worksheets as openpyxl reads them: one dictionary per feature, from places to values."""

import colorsys
import re
import xml.etree.ElementTree as ElementTree
from collections import defaultdict

import openpyxl
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.styles.colors import COLOR_INDEX
from openpyxl.worksheet.formula import ArrayFormula, DataTableFormula

DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
# The order in which cells number the colors of a theme.
THEME_COLORS = ["lt1", "dk1", "lt2", "dk2", *(f"accent{n}" for n in range(1, 7)), "hlink", "folHlink"]
# The cells of a file; others have the format of their row or column.
CELLS = "cells"
# The width of columns without a width of their own.
DEFAULTS = "default widths"
# Features of the format of a cell.
FORMATS = {
    "number formats", "fonts", "fills", "pattern fills", "gradient fills", "borders", "diagonal borders",
    "alignments", "justified and other alignments", "reading orders", "theme colors", "quote prefixes",
    "double and accounting underlines", "superscripts and subscripts",
}  # fmt: skip
# Formats that programs of other languages show in their own way, and the code that stands for them.
BUILT_IN = {"mm-dd-yy": "m/d/yyyy", "m/d/yy h:mm": "m/d/yyyy h:mm"}
ERRORS = {"#VALUE!", "#N/A", "#DIV/0!", "#NUM!", "#NAME?", "#NULL!", "#REF!"}
SIDES = ["left", "right", "top", "bottom"]


def collect(path):
    """Returns the features of all sheets of a workbook, and the workbook as openpyxl has read it."""
    book = openpyxl.load_workbook(path, rich_text=True, keep_links=False)
    features = defaultdict(dict)
    styles = Styles(book)
    features["default font"]["font"] = styles.default_font
    for name, definition in book.defined_names.items():
        add_name(features, name, definition)
    for position, sheet in enumerate(book.worksheets):
        add_sheet(features, sheet, position, styles)
    return features, book


def add_name(features, name, definition):
    features["defined names"][name.upper()] = formula_text(definition.value or "")
    if definition.hidden:
        features["hidden names"][name.upper()] = True
    if definition.comment:
        features["comments of names"][name.upper()] = definition.comment


def add_sheet(features, sheet, position, styles):
    # The position, because names of sheets that Excel rejects are changed.
    place = lambda of: f"{position}!{of}"
    features["sheets"][place("")] = (sheet.title, sheet.sheet_state)
    for name, definition in sheet.defined_names.items():
        if not name.startswith("_xlnm"):
            add_name(features, place(name), definition)
    for cell in sheet._cells.values():
        add_cell(features, place(cell.coordinate), cell, styles)
    add_dimensions(features, sheet, place, styles)
    for merged in sheet.merged_cells.ranges:
        features["merged cells"][place(merged.coord)] = True
    add_items(features, sheet, place, styles)
    add_page(features, sheet, place)


def add_cell(features, place, cell, styles):
    features[CELLS][place] = True
    value = cell.value
    if isinstance(value, CellRichText):
        runs = [run for run in value if isinstance(run, TextBlock)]
        if runs:
            features["rich text"][place] = [(run.text, font_of_run(run)) for run in runs]
        value = str(value)
    if isinstance(value, DataTableFormula):
        features["data tables"][place] = value.ref
    elif isinstance(value, ArrayFormula):
        if value.text:
            features["formulas"][place] = formula_text(value.text)
    elif cell.data_type == "f":
        # Cells that a formula of another cell fills have an empty formula; a formula can be an error.
        if value.lstrip("=") in ERRORS:
            features["values"][place] = value.lstrip("=")
        elif value.lstrip("="):
            features["formulas"][place] = formula_text(value)
    elif value is not None and value != "":
        features["values"][place] = f"{value:.15g}" if isinstance(value, float) else str(value)
    if cell.has_style:
        for feature, look in styles.of(cell).items():
            features[feature][place] = look
        if (name := style_name(cell)) is not None:
            features["named styles"][place] = name
    if cell.comment:
        text = re.sub(r"\s+", " ", cell.comment.text).strip()
        features["comments"][place] = text
        features["authors of comments"][place] = cell.comment.author
    if cell.hyperlink:
        link = cell.hyperlink
        features["hyperlinks"][place] = (link.target or "", link.location or "", link.tooltip or "")


def style_name(cell):
    """The named style of a cell; None for "Normal"."""
    try:
        return cell.style if cell.style != "Normal" else None
    except IndexError:  # openpyxl merges styles with the same format and then misses one.
        return None


def font_of_run(run):
    font = run.font
    return [font.b or None, font.i or None, font.u, font.strike or None, font.sz, font.rFont, font.vertAlign]


def formula_text(text):
    """A formula without differences that have no meaning: spaces outside of texts, case, prefixes."""
    pieces = re.split(r'("[^"]*"|\'[^\']*\')', text.lstrip("="))
    plain = [piece if index % 2 else re.sub(r"\s+", "", piece).upper() for index, piece in enumerate(pieces)]
    text = re.sub(r"_XLFN\.|_XLWS\.|_XLUDF\.|_XLPM\.", "", "".join(plain))
    text = re.sub(r"\[\[([^\[\]]*)\]\]", r"[\1]", text)
    text = re.sub(r"(?<![A-Z0-9_.$])\d+\.?\d*(?:E[+-]?\d+)?", lambda number: f"{float(number[0]):.15g}", text)
    # Names of sheets need apostrophes or not, by rules of the program.
    return re.sub(r"'([A-Za-z0-9_.\[\]]+)'!", lambda name: name[1].upper() + "!", text)


class Styles:
    """Formats of cells by feature, relative to the default font of the workbook."""

    def __init__(self, book):
        self.palette = theme_palette(book.loaded_theme)
        self.cache = {}
        font = book._fonts[0]
        self.default_font = (font.name, font.sz)

    def of(self, cell):
        key = tuple(cell._style)
        if key not in self.cache:
            self.cache[key] = self.features(cell)
        return self.cache[key]

    def features(self, cell):
        looks = {}
        if cell.number_format != "General":
            looks["number formats"] = BUILT_IN.get(cell.number_format, cell.number_format)
        self.font(cell.font, looks)
        self.fill(cell.fill, looks)
        for side in SIDES:
            line = getattr(cell.border, side)
            if line is not None and line.style:
                looks.setdefault("borders", {})[side] = (line.style, self.color(line.color, looks, "000000"))
        if cell.border.diagonal is not None and cell.border.diagonal.style:
            looks["diagonal borders"] = cell.border.diagonal.style
        self.alignment(cell.alignment, looks)
        if cell.quotePrefix:
            looks["quote prefixes"] = True
        return looks

    def font(self, font, looks):
        plain = {}
        for name in ("name", "sz"):
            plain[name] = getattr(font, name)
        for name in ("b", "i", "strike"):
            if getattr(font, name):
                plain[name] = True
        if font.u:
            plain["u"] = True
        color = self.color(font.color, looks, "000000")
        if color != "000000":
            plain["color"] = color
        if plain != dict(zip(("name", "sz"), self.default_font)):
            looks["fonts"] = plain
        if font.u and font.u != "single":
            looks["double and accounting underlines"] = font.u
        if font.vertAlign:
            looks["superscripts and subscripts"] = font.vertAlign

    def fill(self, fill, looks):
        if getattr(fill, "patternType", None) == "solid":
            looks["fills"] = self.color(fill.fgColor, looks, "FFFFFF")
        elif getattr(fill, "patternType", None) not in (None, "none"):
            looks["pattern fills"] = fill.patternType
        elif hasattr(fill, "stop"):
            looks["gradient fills"] = True

    def alignment(self, alignment, looks):
        plain = {}
        if alignment.horizontal in ("left", "center", "right"):
            plain["horizontal"] = alignment.horizontal
        elif alignment.horizontal not in (None, "general"):
            looks["justified and other alignments"] = alignment.horizontal
        if alignment.vertical in ("top", "center"):
            plain["vertical"] = alignment.vertical
        elif alignment.vertical not in (None, "bottom"):
            looks["justified and other alignments"] = alignment.vertical
        for name in ("wrapText", "shrinkToFit", "indent", "textRotation"):
            if getattr(alignment, name):
                plain[name] = getattr(alignment, name)
        if plain:
            looks["alignments"] = plain
        if alignment.readingOrder:
            looks["reading orders"] = alignment.readingOrder

    def color(self, color, looks, automatic):
        """The color as six digits."""
        if color is None or color.auto or color.type == "auto":
            return automatic
        if color.type == "theme":
            looks.setdefault("theme colors", []).append((color.theme, round(color.tint or 0, 3)))
            base = self.palette[color.theme] if color.theme < len(self.palette) else automatic
        elif color.type == "indexed":
            if color.indexed >= 64:
                return {64: "000000", 65: "FFFFFF"}.get(color.indexed, automatic)
            base = COLOR_INDEX[color.indexed][-6:]
        else:
            base = (color.rgb if isinstance(color.rgb, str) else automatic)[-6:]
        return tinted(base.upper(), color.tint or 0)


def theme_palette(theme):
    palette = []
    scheme = ElementTree.fromstring(theme).find(f".//{DRAWING}clrScheme") if theme else None
    for name in THEME_COLORS if scheme is not None else []:
        entry = scheme.find(DRAWING + name)
        color = entry[0] if entry is not None and len(entry) else None
        palette.append((color.get("lastClr") or color.get("val") or "000000")[-6:] if color is not None else "000000")
    return palette


def tinted(color, tint):
    """ECMA-376 part 1, 18.8.19."""
    if not tint:
        return color
    red, green, blue = (int(color[at : at + 2], 16) / 255 for at in (0, 2, 4))
    hue, light, saturation = colorsys.rgb_to_hls(red, green, blue)
    light = light * (1 + tint) if tint < 0 else light * (1 - tint) + tint
    return "".join(f"{round(part * 255):02X}" for part in colorsys.hls_to_rgb(hue, light, saturation))


# Characters of the default font: 64 pixels.
DEFAULT_WIDTH = 9.14


def add_dimensions(features, sheet, place, styles):
    features[DEFAULTS][place("")] = sheet.sheet_format.defaultColWidth or DEFAULT_WIDTH
    for column in sheet.column_dimensions.values():
        first, last = column.min or 0, column.max or 0
        for number in range(first, min(last, 300) + 1):
            key = place(openpyxl.utils.get_column_letter(number))
            if column.width:
                features["column widths"][key] = round(column.width, 2)
            if column.hidden:
                features["hidden columns"][key] = True
            if column.outlineLevel:
                features["outlines"][key] = column.outlineLevel
            if column.has_style:
                for feature, look in styles.of(column).items():
                    features[feature][key] = look
    for number, row in sheet.row_dimensions.items():
        key = place(number)
        if row.has_style:
            for feature, look in styles.of(row).items():
                features[feature][key] = look
        if row.hidden:
            features["hidden rows"][key] = True
        if row.outlineLevel:
            features["outlines"][key] = row.outlineLevel


CONDITIONS = ("filters", "customFilters", "dynamicFilter", "top10", "colorFilter", "iconFilter")


def add_items(features, sheet, place, styles):
    for validation in sheet.data_validations.dataValidation if sheet.data_validations else []:
        rule = (
            validation.type,
            validation.operator if validation.type not in (None, "list", "custom") else None,
            formula_text(validation.formula1 or ""),
            formula_text(validation.formula2 or ""),
            validation.errorStyle or "stop",
            bool(validation.allow_blank),
            validation.prompt or "",
            validation.error or "",
        )
        if validation.type:
            for area in validation.sqref.ranges:
                features["data validation"][place(area.coord)] = rule
    for group in sheet.conditional_formatting:
        for rule in group.rules:
            key = place(f"{group.sqref} {rule.type} {rule.operator or ''} {[formula_text(f) for f in rule.formula]}")
            features["conditional formats"][key] = bool(rule.stopIfTrue)
            looks = {}
            if rule.dxf is not None:
                if rule.dxf.font is not None and rule.dxf.font.color is not None:
                    looks["font"] = styles.color(rule.dxf.font.color, {}, "000000")
                if rule.dxf.fill is not None and rule.dxf.fill.bgColor is not None:
                    looks["fill"] = styles.color(rule.dxf.fill.bgColor, {}, "FFFFFF")
                if rule.dxf.border is not None:
                    features["borders of conditional formats"][key] = True
            if looks:
                features["styles of conditional formats"][key] = looks
            for kind in ("iconSet", "dataBar", "colorScale"):
                if getattr(rule, kind) is not None:
                    stops = [(stop.type, stop.val) for stop in getattr(rule, kind).cfvo]
                    features[f"stops of {kind}"][key] = stops
    for table in sheet.tables.values():
        features["tables"][place(table.displayName.upper())] = (
            table.ref,
            table.headerRowCount,
            table.totalsRowCount or 0,
            [column.name for column in table.tableColumns],
        )
        if table.tableStyleInfo is not None:
            features["styles of tables"][place(table.displayName.upper())] = table.tableStyleInfo.name
        columns = table.autoFilter.filterColumn if table.autoFilter is not None else []
        conditions = [column.colId for column in columns if any(getattr(column, kind) for kind in CONDITIONS)]
        if conditions:
            features["filters of tables"][place(table.displayName.upper())] = conditions
    if sheet.auto_filter and sheet.auto_filter.ref:
        columns = [column.colId for column in sheet.auto_filter.filterColumn if not column.hiddenButton]
        features["filters"][place(sheet.auto_filter.ref.replace("$", ""))] = sorted(columns)


def add_page(features, sheet, place):
    setup, margins = sheet.page_setup, sheet.page_margins
    plain = {
        "paper": setup.paperSize,
        "orientation": setup.orientation if setup.orientation == "landscape" else None,
        "scale": setup.scale if setup.scale != 100 else None,
        "fit": (setup.fitToWidth, setup.fitToHeight) if sheet.sheet_properties.pageSetUpPr is not None
        and sheet.sheet_properties.pageSetUpPr.fitToPage else None,
        "gridlines": bool(sheet.print_options.gridLines),
        "headings": bool(sheet.print_options.headings),
        "centered": (bool(sheet.print_options.horizontalCentered), bool(sheet.print_options.verticalCentered)),
    }
    if margins is not None:
        plain["margins"] = [round(getattr(margins, side), 2) for side in (*SIDES, "header", "footer")]
    features["page setup"][place("")] = plain
    texts = [getattr(part, side).text for part in (sheet.oddHeader, sheet.oddFooter) for side in ("left", "center", "right")]
    if any(texts):
        features["headers and footers"][place("")] = [text or "" for text in texts]
    for name in ("evenHeader", "firstHeader", "evenFooter", "firstFooter"):
        if any(getattr(getattr(sheet, name), side).text for side in ("left", "center", "right")):
            features["headers of first and even pages"][place(name)] = True
    if sheet.print_area:
        features["print areas"][place("")] = str(sheet.print_area).replace("$", "").split("!")[-1]
    if sheet.print_title_rows or sheet.print_title_cols:
        features["repeated rows and columns"][place("")] = (sheet.print_title_rows, sheet.print_title_cols)
    for name, breaks in (("row", sheet.row_breaks), ("column", sheet.col_breaks)):
        for one in breaks.brk:
            features["page breaks"][place(f"{name} {one.id}")] = True
    view = sheet.sheet_view
    features["views"][place("")] = {
        "gridlines": view.showGridLines in (None, True),
        "headings": view.showRowColHeaders in (None, True),
        "zeros": view.showZeros in (None, True),
        "formulas": bool(view.showFormulas),
        "right to left": bool(view.rightToLeft),
        "zoom": view.zoomScale if view.zoomScale not in (None, 100) else None,
    }
    if view.pane is not None and view.pane.state in ("frozen", "frozenSplit"):
        features["frozen panes"][place("")] = (view.pane.xSplit or 0, view.pane.ySplit or 0)
    elif view.pane is not None:
        features["split panes"][place("")] = True
    if sheet.sheet_properties.tabColor is not None:
        features["colors of tabs"][place("")] = True
    if sheet.sheet_properties.codeName:
        features["code names"][place("")] = sheet.sheet_properties.codeName
    if sheet.protection.sheet:
        features["protection"][place("")] = True
        if sheet.protection.password or sheet.protection.hashValue:
            features["passwords"][place("")] = True
    if sheet.scenarios is not None and sheet.scenarios.scenario:
        features["scenarios"][place("")] = len(sheet.scenarios.scenario)
