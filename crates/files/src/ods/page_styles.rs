//! Page setup of OpenDocument files (OpenDocument 1.3, part 3, 16.5 and 16.9): a sheet has a master page,
//! which has a page layout, headers and footers.

use std::collections::HashMap;
use std::io::BufRead;

use quadrille_workbook::{Field, Item, ItemKind, Sheet};

use super::lengths::length;
use super::numbers::escaped;
use crate::contents::FieldTexts;
use crate::error::FileError;
use crate::page_fields::has_page_setup;
use crate::xlsx::xml::{Element, Node, XmlReader};

/// Layouts and master pages of a document, at most.
const PAGE_STYLES_MAX: usize = 10_000;
/// Characters of a header or footer, as in Excel.
const HEADER_LENGTH_MAX: usize = 255;
const POINTS_PER_INCH: f64 = 72.0;
/// Margins of a sheet without them, in inches, as in Excel.
const MARGIN: f64 = 0.7;
const MARGIN_TOP: f64 = 0.75;
const MARGIN_HEADER: f64 = 0.3;
/// Widths and heights in inches of paper in portrait orientation (ECMA-376 part 1, 18.3.1.63).
const PAPERS: [(&str, f64, f64); 10] = [
    ("letter", 8.5, 11.0),
    ("tabloid", 11.0, 17.0),
    ("legal", 8.5, 14.0),
    ("executive", 7.25, 10.5),
    ("a3", 297.0 / 25.4, 420.0 / 25.4),
    ("a4", 210.0 / 25.4, 297.0 / 25.4),
    ("a5", 148.0 / 25.4, 210.0 / 25.4),
    ("a6", 105.0 / 25.4, 148.0 / 25.4),
    ("b4", 250.0 / 25.4, 353.0 / 25.4),
    ("b5", 176.0 / 25.4, 250.0 / 25.4),
];
/// Codes of headers, and the elements for them.
const CODES: [(char, &str); 6] = [
    ('A', "sheet-name"),
    ('P', "page-number"),
    ('N', "page-count"),
    ('D', "date"),
    ('T', "time"),
    ('F', "file-name"),
];
const HEADER: [Field; 3] = [Field::HeaderLeft, Field::HeaderCenter, Field::HeaderRight];
const FOOTER: [Field; 3] = [Field::FooterLeft, Field::FooterCenter, Field::FooterRight];
const REGIONS: [&str; 3] = ["region-left", "region-center", "region-right"];
/// Settings that OpenDocument files have in another way, which is not read and written.
const OTHER_PAGES: [Field; 6] = [
    Field::DifferentFirst,
    Field::DifferentOddEven,
    Field::FirstHeader,
    Field::FirstFooter,
    Field::EvenHeader,
    Field::EvenFooter,
];

/// The page layouts and master pages of a document.
#[derive(Default)]
pub(super) struct PageStyles {
    layouts: HashMap<String, Layout>,
    masters: HashMap<String, Master>,
}

#[derive(Default)]
struct Layout {
    settings: FieldTexts,
    /// Margins above and below, and heights of header and footer, in inches.
    margins: [Option<f64>; 2],
    heights: [Option<f64>; 2],
}

#[derive(Default)]
struct Master {
    layout: String,
    texts: FieldTexts,
}

impl PageStyles {
    /// Reads a `page-layout` element up to its end.
    pub fn read_layout<R: BufRead>(
        &mut self,
        part: &mut XmlReader<R>,
        name: String,
    ) -> Result<(), FileError> {
        let mut layout = Layout::default();
        // 0 within the style of headers, 1 within that of footers.
        let mut within = None;
        loop {
            match part.next()? {
                Node::Start(element) => match element.name() {
                    "page-layout-properties" => layout.read(&element),
                    "header-style" => within = Some(0),
                    "footer-style" => within = Some(1),
                    "header-footer-properties" => {
                        let height = inches(&element, "fo:min-height").or(inches(&element, "svg:height"));
                        if let Some(index) = within {
                            layout.heights[index] = height;
                        }
                    }
                    _ => {}
                },
                node if node.ends("page-layout") => break,
                Node::EndOfPart => break,
                _ => {}
            }
        }
        if self.layouts.len() < PAGE_STYLES_MAX {
            self.layouts.insert(name, layout);
        }
        Ok(())
    }

    /// Reads a `master-page` element up to its end.
    pub fn read_master<R: BufRead>(
        &mut self,
        part: &mut XmlReader<R>,
        name: String,
        layout: String,
    ) -> Result<(), FileError> {
        let mut master = Master { layout, ..Master::default() };
        loop {
            match part.next()? {
                Node::Start(element) => {
                    let (end, fields) = match element.name() {
                        "header" => ("header", HEADER),
                        "footer" => ("footer", FOOTER),
                        _ => continue,
                    };
                    let is_shown = element.flag("style:display") != Some(false);
                    let texts = sections(part, end)?;
                    for (field, text) in fields.into_iter().zip(texts).filter(|_| is_shown) {
                        let text: String = text.chars().take(HEADER_LENGTH_MAX).collect();
                        master.texts.text(field, Some(text));
                    }
                }
                node if node.ends("master-page") => break,
                Node::EndOfPart => break,
                _ => {}
            }
        }
        if self.masters.len() < PAGE_STYLES_MAX {
            self.masters.insert(name, master);
        }
        Ok(())
    }

    /// Sets the settings of a sheet with this master page.
    pub fn put(&self, master: &str, settings: &mut FieldTexts) {
        let Some(master) = self.masters.get(master) else { return };
        settings.0.extend(master.texts.0.clone());
        let Some(layout) = self.layouts.get(&master.layout) else { return };
        settings.0.extend(layout.settings.0.clone());
        for (index, (texts, outer, inner)) in [
            (HEADER, Field::MarginTop, Field::MarginHeader),
            (FOOTER, Field::MarginBottom, Field::MarginFooter),
        ]
        .into_iter()
        .enumerate()
        {
            let Some(margin) = layout.margins[index] else { continue };
            let has_text = texts.iter().any(|field| master.texts.0.contains_key(field.name()));
            let height = layout.heights[index].filter(|_| has_text);
            // The header is below the margin of the page, and the margin of the cells below the header.
            settings.number(outer, Some(rounded(margin + height.unwrap_or(0.0))));
            settings.number(inner, height.map(|_| rounded(margin)));
        }
    }
}

impl Layout {
    fn read(&mut self, element: &Element) {
        let settings = &mut self.settings;
        let is_landscape = element.attribute("style:print-orientation").as_deref() == Some("landscape");
        settings.text(Field::Orientation, Some(if is_landscape { "landscape" } else { "portrait" }));
        if let (Some(width), Some(height)) =
            (inches(element, "fo:page-width"), inches(element, "fo:page-height"))
        {
            let (short, long) = (width.min(height), width.max(height));
            // Programs round to tenths of a millimeter.
            let is_near = |one: f64, other: f64| (one - other).abs() < 0.02;
            let paper =
                PAPERS.iter().find(|(_, width, height)| is_near(short, *width) && is_near(long, *height));
            settings.text(Field::Paper, paper.map(|(name, _, _)| *name));
        }
        let all = inches(element, "fo:margin");
        for (field, name) in [(Field::MarginLeft, "fo:margin-left"), (Field::MarginRight, "fo:margin-right")]
        {
            settings.number(field, inches(element, name).or(all).map(rounded));
        }
        self.margins = ["fo:margin-top", "fo:margin-bottom"].map(|name| inches(element, name).or(all));
        let scale = element.attribute("style:scale-to");
        let scale = scale.and_then(|scale| scale.strip_suffix('%')?.parse().ok());
        settings
            .number(Field::Scale, scale.filter(|scale| *scale != 100.0 && (10.0..=400.0).contains(scale)));
        let pages = ["style:scale-to-X", "style:scale-to-Y"].map(|name| element.number::<u16>(name));
        if pages.iter().any(Option::is_some) {
            for (field, pages) in [Field::FitToWidth, Field::FitToHeight].into_iter().zip(pages) {
                settings.number(field, Some(f64::from(pages.unwrap_or(0).min(32_767))));
            }
        }
        let centered = element.attribute("style:table-centering").unwrap_or_default();
        let is_centered = |direction: &str| Some(centered == direction || centered == "both");
        settings.flag(Field::CenterHorizontally, is_centered("horizontal"), false);
        settings.flag(Field::CenterVertically, is_centered("vertical"), false);
        let printed = element.attribute("style:print").unwrap_or_default();
        let is_printed = |what: &str| Some(printed.split_whitespace().any(|word| word == what));
        settings.flag(Field::PrintGridlines, is_printed("grid"), false);
        settings.flag(Field::PrintHeadings, is_printed("headers"), false);
    }
}

fn inches(element: &Element, name: &str) -> Option<f64> {
    length(element.attribute(name)).map(|points| points / POINTS_PER_INCH)
}

/// A length in inches to thousandths, and at most as long as the items allow.
fn rounded(inches: f64) -> f64 {
    (inches * 1_000.0).round().min(49_000.0) / 1_000.0
}

/// Reads the left, center and right section of a header up to its end.
fn sections<R: BufRead>(part: &mut XmlReader<R>, end: &str) -> Result<[String; 3], FileError> {
    let mut texts = [String::new(), String::new(), String::new()];
    // Without regions, the text is in the center.
    let mut region = 1;
    loop {
        match part.next()? {
            Node::Start(element) => {
                let name = element.name().to_owned();
                if let Some(index) = REGIONS.iter().position(|region| *region == name) {
                    region = index;
                } else if let Some((code, _)) = CODES.iter().find(|(_, element)| *element == name) {
                    part.skip()?;
                    texts[region].extend(['&', *code]);
                } else if name == "s" {
                    let count = element.number("text:c").unwrap_or(1_usize).min(HEADER_LENGTH_MAX);
                    texts[region] += &" ".repeat(count);
                } else if name == "p" && !texts[region].is_empty() {
                    texts[region].push('\n');
                }
            }
            Node::Text(text) => texts[region] += &text.replace('&', "&&"),
            node if node.ends(end) => return Ok(texts),
            Node::EndOfPart => return Ok(texts),
            _ => {}
        }
    }
}

/// The elements of the page styles of a workbook: page layouts, and master pages.
#[derive(Default)]
pub(super) struct WrittenPages {
    pub layouts: String,
    pub masters: String,
    count: usize,
}

impl WrittenPages {
    /// Adds the page style of a sheet, and returns the name of its master page; `None` if the sheet has no
    /// page setup.
    pub fn add(&mut self, sheet: &Sheet) -> Option<String> {
        let (_, settings) = sheet.items().of_kind(ItemKind::SheetSettings).next()?;
        if !has_page_setup(settings) {
            return None;
        }
        self.count += 1;
        let (layout, name) = (format!("Mpm{}", self.count), format!("PageStyle{}", self.count));
        self.layouts += &page_layout(settings, &layout);
        let header = region_texts(settings, HEADER, "header");
        let footer = region_texts(settings, FOOTER, "footer");
        self.masters += &format!(
            "<style:master-page style:name=\"{name}\" style:page-layout-name=\"{layout}\">{header}{footer}\
             </style:master-page>"
        );
        Some(name)
    }
}

/// Whether files have the whole page setup of these settings of a sheet.
pub(crate) fn is_page_setup_written(settings: &Item) -> bool {
    let is_known = |field: &Field| settings.text(*field).is_none_or(|text| elements(text).is_some());
    HEADER.iter().chain(&FOOTER).all(is_known)
        && !OTHER_PAGES.iter().any(|field| settings.fields.contains_key(field))
}

fn page_layout(settings: &Item, name: &str) -> String {
    let is_landscape = settings.text(Field::Orientation).is_some_and(|name| &**name == "landscape");
    let mut properties = String::new();
    let paper = settings.text(Field::Paper);
    if let Some((_, width, height)) =
        PAPERS.iter().find(|(name, ..)| paper.is_some_and(|paper| **paper == **name))
    {
        let (width, height) = if is_landscape { (height, width) } else { (width, height) };
        properties += &format!(" fo:page-width=\"{width:.4}in\" fo:page-height=\"{height:.4}in\"");
    }
    let orientation = if is_landscape { "landscape" } else { "portrait" };
    properties += &format!(" style:print-orientation=\"{orientation}\"");
    let number = |field: Field, default: f64| settings.number(field).unwrap_or(default);
    let mut styles = String::new();
    for (side, facing, element, texts, outer, inner) in [
        ("top", "bottom", "header", HEADER, Field::MarginTop, Field::MarginHeader),
        ("bottom", "top", "footer", FOOTER, Field::MarginBottom, Field::MarginFooter),
    ] {
        let (outer, inner) = (number(outer, MARGIN_TOP), number(inner, MARGIN_HEADER));
        let has_text = texts.iter().any(|field| settings.text(*field).is_some());
        let margin = if has_text { inner.min(outer) } else { outer };
        properties += &format!(" fo:margin-{side}=\"{margin:.4}in\"");
        if has_text {
            styles += &format!(
                "<style:{element}-style><style:header-footer-properties svg:height=\"{:.4}in\" \
                 fo:margin-{facing}=\"0in\"/>\
                 </style:{element}-style>",
                outer - margin
            );
        }
    }
    for (side, field) in [("left", Field::MarginLeft), ("right", Field::MarginRight)] {
        properties += &format!(" fo:margin-{side}=\"{:.4}in\"", number(field, MARGIN));
    }
    let fit = [("X", Field::FitToWidth), ("Y", Field::FitToHeight)];
    let fit = fit.map(|(axis, field)| (axis, settings.number(field).filter(|pages| *pages > 0.0)));
    for (axis, pages) in fit {
        if let Some(pages) = pages {
            properties += &format!(" style:scale-to-{axis}=\"{pages}\"");
        }
    }
    if let Some(scale) =
        settings.number(Field::Scale).filter(|_| fit.iter().all(|(_, pages)| pages.is_none()))
    {
        properties += &format!(" style:scale-to=\"{scale}%\"");
    }
    let is_set = |field: Field| settings.boolean(field) == Some(true);
    match (is_set(Field::CenterHorizontally), is_set(Field::CenterVertically)) {
        (true, true) => properties += " style:table-centering=\"both\"",
        (true, false) => properties += " style:table-centering=\"horizontal\"",
        (false, true) => properties += " style:table-centering=\"vertical\"",
        (false, false) => {}
    }
    let grid = if is_set(Field::PrintGridlines) { " grid" } else { "" };
    let headings = if is_set(Field::PrintHeadings) { " headers" } else { "" };
    format!(
        "<style:page-layout style:name=\"{name}\"><style:page-layout-properties{properties} \
         style:print=\"charts drawings objects zero-values{grid}{headings}\"/>{styles}</style:page-layout>"
    )
}

/// The element of a header or footer.
fn region_texts(settings: &Item, fields: [Field; 3], element: &str) -> String {
    let mut regions = String::new();
    for (field, region) in fields.into_iter().zip(REGIONS) {
        if let Some(text) = settings.text(field) {
            let content = elements(text).unwrap_or_else(|| escaped(text));
            regions += &format!("<style:{region}>{content}</style:{region}>");
        }
    }
    match regions.is_empty() {
        true => format!("<style:{element} style:display=\"false\"/>"),
        false => format!("<style:{element}>{regions}</style:{element}>"),
    }
}

/// The paragraphs of a text with codes such as `&P`; `None` if there are no elements for a code.
fn elements(text: &str) -> Option<String> {
    let mut lines = vec![String::new()];
    let mut rest = text.chars();
    while let Some(next) = rest.next() {
        let line = lines.last_mut()?;
        match next {
            '\n' => lines.push(String::new()),
            ' ' => line.push_str("<text:s/>"),
            '&' => match rest.next()? {
                '&' => line.push_str("&amp;"),
                code => {
                    let (_, element) = CODES.iter().find(|(known, _)| *known == code)?;
                    let display = match code {
                        // Without the folder.
                        'F' => " text:display=\"name-and-extension\"",
                        _ => "",
                    };
                    line.push_str(&format!("<text:{element}{display}>1</text:{element}>"));
                }
            },
            other => line.push_str(&escaped(other.encode_utf8(&mut [0; 4]))),
        }
    }
    Some(lines.iter().map(|line| format!("<text:p>{line}</text:p>")).collect())
}
