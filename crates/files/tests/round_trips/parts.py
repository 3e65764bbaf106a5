"""Contents of a package that openpyxl does not read: parts by the types of their relationships, drawings,
charts, links to other workbooks, and document properties, compared as canonical XML."""

import hashlib
import posixpath
import re
import xml.etree.ElementTree as ElementTree
import zipfile
from collections import defaultdict

RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
REFERENCE = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
# Parts whose contents other features compare, or which programs derive from others.
DERIVED = {
    "officeDocument", "worksheet", "styles", "sharedStrings", "calcChain", "drawing", "image", "chart",
    "table", "comments", "vmlDrawing", "sheetMetadata", "hyperlink", "core-properties",
    "extended-properties", "custom-properties", "thumbnail", "externalLink", "chartStyle",
    "chartColorStyle", "externalLinkPath", "xlExternalLinkPath/xlPathMissing", "pivotCacheDefinition",
    "pivotCacheRecords", "theme", "chartsheet", "slicer", "slicerCache", "timeline", "timelineCache",
}  # fmt: skip
NAMES = {
    "ctrlProp": "form controls", "control": "form controls",
    "customXml": "custom XML", "customXmlProps": "custom XML", "oleObject": "embedded objects",
    "package": "embedded objects", "person": "threaded comments", "pivotTable": "pivot tables",
    "printerSettings": "printer settings", "threadedComment": "threaded comments", "vbaProject": "macros",
    "connections": "connections", "queryTable": "connections",
}  # fmt: skip
CHART_KINDS = re.compile(r"\}(\w+)Chart$")


class Package:
    def __init__(self, path):
        self.zip = zipfile.ZipFile(path)
        self.names = {name.lower(): name for name in self.zip.namelist()}

    def bytes(self, part):
        name = self.names.get(part.lstrip("/").lower())
        return self.zip.read(name) if name else None

    def tree(self, part):
        text = self.bytes(part)
        try:
            return ElementTree.fromstring(text) if text else None
        except ElementTree.ParseError:
            return None

    def links(self, part):
        """The relationships of a part: (id, last word of the type, target, is external)."""
        folder, file = posixpath.split(part)
        tree = self.tree(posixpath.join(folder, "_rels", file + ".rels"))
        found = []
        for link in tree.iter(RELATIONSHIP) if tree is not None else []:
            target, is_external = link.get("Target", ""), link.get("TargetMode") == "External"
            if not is_external:
                target = posixpath.normpath(posixpath.join("/" + folder, target)).lstrip("/")
            kind = link.get("Type", "").rsplit("/relationships/", 1)[-1].rsplit("/", 1)[-1]
            found.append((link.get("Id"), kind, target, is_external))
        return found


def canonical(tree):
    """XML without the order of attributes, spaces around elements, and ids of relationships."""
    if tree is None:
        return ""
    attributes = sorted((k, v) for k, v in tree.attrib.items() if not k.startswith(REFERENCE))
    inner = "".join(canonical(child) for child in tree)
    return f"<{tree.tag} {attributes}>{(tree.text or '').strip()}{inner}</>"


def digest(text):
    return hashlib.sha256(text if isinstance(text, bytes) else text.encode()).hexdigest()[:12]


def collect(path):
    package = Package(path)
    features = defaultdict(dict)
    seen = set()
    book = next((t for _, kind, t, _ in package.links("") if kind == "officeDocument"), "xl/workbook.xml")
    walk(package, "", features, seen)
    add_properties(package, features)
    tree = package.tree(book)
    main = tree.tag.split("}")[0] + "}"
    links = {id: target for id, _, target, _ in package.links(book)}
    for link in tree.iter(main + "externalReference"):
        add_external_link(package, links.get(link.get(REFERENCE + "id"), ""), features)
    for link in package.links(book):
        if link[1] == "theme":
            features["theme"]["theme"] = digest(canonical(package.tree(link[2])))
    position = 0
    for sheet in tree.iter(main + "sheet"):
        part = links.get(sheet.get(REFERENCE + "id"), "")
        if "worksheets" in part.lower():
            add_drawings(package, part, position, features)
            add_extensions(package, part, position, features)
            add_slicers(package, book, part, position, features)
            position += 1
        elif "chartsheets" in part.lower():
            features["chart sheets"][sheet.get("name")] = sheet.get("state", "visible")
            add_drawings(package, part, f"chart sheet {sheet.get('name')}", features)
    protection = tree.find(main + "workbookProtection")
    if protection is not None and protection.attrib:
        features["protection of the workbook"][""] = sorted(protection.attrib.items())
    if tree.find(main + "customWorkbookViews") is not None:
        features["custom views"][""] = True
    return features


def walk(package, part, features, seen):
    for _, kind, target, is_external in package.links(part):
        if is_external or target in seen or package.bytes(target) is None:
            continue
        seen.add(target)
        if kind not in DERIVED:
            feature = NAMES.get(kind, f"other parts ({kind})")
            of = "" if kind in ("pivotTable",) else digest(package.bytes(target))
            key = f"{kind} {of}" if of else f"{kind} {sum(1 for k in features[feature] if k.startswith(kind))}"
            features[feature][key] = True
        walk(package, target, features, seen)


def add_properties(package, features):
    for _, kind, target, _ in package.links(""):
        tree = package.tree(target) if kind.endswith("-properties") else None
        for element in tree if tree is not None else []:
            name = element.tag.split("}")[-1]
            text = "".join(element.itertext()).strip()
            if kind == "custom-properties":
                features["custom properties"][element.get("name")] = text
            elif kind == "core-properties" and name not in ("modified", "revision") and text:
                features["document properties"][name] = text
            elif kind == "extended-properties" and name in ("Company", "Manager", "HyperlinkBase") and text:
                features["document properties"][name] = text


def add_external_link(package, part, features):
    tree = package.tree(part)
    if tree is None:
        return
    target = next((t for _, kind, t, is_external in package.links(part) if is_external), "")
    key = f"{len(features['links to other workbooks'])} {target}"
    features["links to other workbooks"][key] = [e.get("val") for e in tree.iter() if e.tag.endswith("}sheetName")]
    cells = [(e.get("r"), "".join(e.itertext()).strip()) for e in tree.iter() if e.tag.endswith("}cell")]
    if cells:
        features["values of other workbooks"][key] = digest(str(cells))


def add_drawings(package, part, position, features):
    for _, kind, target, _ in package.links(part):
        if kind != "drawing":
            continue
        tree = package.tree(target)
        links = {id: link for id, _, link, _ in package.links(target)}
        for anchor in tree if tree is not None else []:
            if anchor.tag.endswith("Anchor"):
                add_anchor(package, anchor, links, position, features)


def add_anchor(package, anchor, links, position, features):
    kinds = {element.tag.split("}")[-1] for element in anchor.iter()}
    start = [e.text for e in anchor.iter() if e.tag.split("}")[-1] in ("col", "row")][:2]
    count = lambda feature: f"{position}!{start} {sum(1 for key in features[feature] if key.startswith(f'{position}!'))}"
    if kinds & {"slicer", "timeslicer"}:
        # A shape stands for it in programs that have none; `add_slicers` compares the place.
        return
    if kinds & {"sp", "cxnSp", "grpSp"}:
        text = " ".join("".join(e.itertext()) for e in anchor.iter() if e.tag.endswith("}t"))
        features["shapes and text boxes"][count("shapes and text boxes")] = text
    elif "pic" in kinds:
        ids = [e.get(REFERENCE + "embed") for e in anchor.iter() if e.tag.endswith("}blip")]
        images = [digest(package.bytes(links.get(id, "")) or b"") for id in ids if id]
        features["images"][f"{position}!{start} {images}"] = True
    elif "chart" in kinds:
        id = next(e.get(REFERENCE + "id") for e in anchor.iter() if e.tag.endswith("}chart"))
        add_chart(package.tree(links.get(id, "")), f"{position}!{start}", features)
    elif kinds & {"contentPart", "relIds", "AlternateContent"}:
        features["other drawing objects"][count("other drawing objects")] = sorted(kinds)[:3]


def add_slicers(package, book, part, position, features):
    """Slicers and timelines by their captions: the field, the kinds of what they filter, and the place."""
    caches = {}
    for _, kind, target, _ in package.links(book):
        tree = package.tree(target) if kind in ("slicerCache", "timelineCache") else None
        if tree is not None:
            caches[tree.get("name")] = tree
    places = {}
    for _, kind, target, _ in package.links(part):
        tree = package.tree(target) if kind == "drawing" else None
        for anchor in tree if tree is not None else []:
            for element in anchor.iter():
                if element.tag.split("}")[-1] in ("slicer", "timeslicer"):
                    corners = [e.text for e in anchor.iter() if e.tag.split("}")[-1] in ("col", "row")]
                    places[element.get("name")] = corners[:2]
    for _, kind, target, _ in package.links(part):
        tree = package.tree(target) if kind in ("slicer", "timeline") else None
        for view in tree if tree is not None else []:
            if not view.tag.endswith(("}slicer", "}timeline")):
                continue
            cache = caches.get(view.get("cache"))
            filtered = cache.iter() if cache is not None else []
            filtered = sorted({e.tag.split("}")[-1] for e in filtered} & {"pivotTable", "tableSlicerCache", "olap"})
            key = f"{position}!{kind} {view.get('caption')} {places.get(view.get('name'))}"
            level = view.get("level", "") if kind == "timeline" else ""
            features["slicers"][key] = [cache.get("sourceName") if cache is not None else "", filtered, level]


def add_chart(tree, place, features):
    if tree is None:
        return
    kinds = sorted({kind[1] for e in tree.iter() if (kind := CHART_KINDS.search(e.tag))})
    references = [re.sub(r"[\s$']", "", e.text or "").upper() for e in tree.iter() if e.tag.endswith("}f")]
    features["charts"][place] = True
    features["types of charts"][place] = kinds
    features["series of charts"][place] = sorted(references)
    features["formatting of charts"][place] = digest(canonical(tree))


def add_extensions(package, part, position, features):
    tree = package.tree(part)
    for element in tree.iter() if tree is not None else []:
        name = element.tag.split("}")[-1]
        # Lower ones have one line and are fitted to their contents when a program opens the file; 20 pixels are
        # the default.
        if name == "row" and (element.get("customHeight") in ("1", "true") or float(element.get("ht", 0)) > 17.25):
            pixels = round(float(element.get("ht", 15)) * 4 / 3)
            if pixels != 20:
                features["row heights"][f"{position}!{element.get('r')}"] = pixels
        elif name == "sparkline":
            features["sparklines"][f"{position}!{''.join(element.itertext()).strip()}"] = True
        elif name in ("oleObjects", "controls", "picture", "customSheetViews", "dataConsolidate", "smartTags", "ignoredErrors"):
            features[{"oleObjects": "embedded objects", "controls": "form controls", "picture": "background images",
                      "customSheetViews": "custom views", "ignoredErrors": "ignored errors"}.get(name, name)][f"{position}!{name}"] = True
