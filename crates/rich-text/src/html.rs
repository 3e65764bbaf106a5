//! Reads HTML: elements and attributes of a list stay, other elements leave their content, and those
//! whose content is not text leave nothing.

use crate::entities::decoded;
use crate::piece::{Attribute, Builder, ELEMENTS, Element, Piece};
use crate::{style, url};

/// Elements of which nothing stays, not even the content.
const DROPPED: [&str; 22] = [
    "applet",
    "audio",
    "canvas",
    "embed",
    "iframe",
    "math",
    "noembed",
    "noframes",
    "noscript",
    "object",
    "plaintext",
    "script",
    "select",
    "style",
    "svg",
    "template",
    "textarea",
    "title",
    "video",
    "xmp",
    "frameset",
    "head",
];
/// Dropped elements without an end.
const DROPPED_VOID: [&str; 1] = ["embed"];

/// The pieces of a text of HTML.
pub(crate) fn pieces(text: &str) -> Vec<Piece> {
    let mut builder = Builder::default();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        builder.text(&decoded(&rest[..at]));
        rest = markup(&rest[at..], &mut builder);
    }
    builder.text(&decoded(rest));
    builder.finish()
}

/// Reads what begins with `<`. Returns the text behind it.
fn markup<'a>(text: &'a str, builder: &mut Builder) -> &'a str {
    if let Some(comment) = text.strip_prefix("<!--") {
        return comment.split_once("-->").map_or("", |(_, behind)| behind);
    }
    let behind = &text[1..];
    if behind.starts_with(['!', '?']) {
        return behind.split_once('>').map_or("", |(_, behind)| behind);
    }
    let (is_end, name_start) = match behind.strip_prefix('/') {
        Some(name) => (true, name),
        None => (false, behind),
    };
    if !name_start.starts_with(|c: char| c.is_ascii_alphabetic()) {
        builder.text("<");
        return behind;
    }
    let length = name_start.find(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>');
    let (name, rest) = name_start.split_at(length.unwrap_or(name_start.len()));
    let name = name.to_ascii_lowercase();
    // What has no end is no element.
    let Some((attributes, rest)) = attributes(rest) else { return "" };
    if is_end {
        builder.end(&name);
        return rest;
    }
    if DROPPED.contains(&&*name) {
        return if DROPPED_VOID.contains(&&*name) { rest } else { behind_end(rest, &name) };
    }
    if let Some(name) = ELEMENTS.iter().find(|known| **known == name) {
        builder.start(Element { name, attributes: kept(name, &attributes) });
    }
    rest
}

/// The text behind the end of an element, or nothing if it has no end.
fn behind_end<'a>(text: &'a str, name: &str) -> &'a str {
    let mut rest = text;
    while let Some(at) = rest.find("</") {
        rest = &rest[at + 2..];
        let end = rest.get(..name.len()).filter(|end| end.eq_ignore_ascii_case(name));
        let is_end = end.is_some()
            && rest[name.len()..].starts_with(|c: char| c == '>' || c == '/' || c.is_ascii_whitespace());
        if is_end {
            return rest.split_once('>').map_or("", |(_, behind)| behind);
        }
    }
    ""
}

/// Reads attributes up to `>`: names in lower case, values without quotes. Returns the text behind, or
/// `None` if there is no `>`.
fn attributes(text: &str) -> Option<(Vec<(String, String)>, &str)> {
    let mut attributes = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if let Some(behind) = rest.strip_prefix('>') {
            return Some((attributes, behind));
        }
        if rest.is_empty() {
            return None;
        }
        // A name may begin with `=`.
        let is_end = |(at, c): (usize, char)| {
            (c.is_ascii_whitespace() || c == '/' || c == '>' || (c == '=' && at > 0)).then_some(at)
        };
        let length = rest.char_indices().find_map(is_end).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(length);
        rest = behind;
        let equals = rest.trim_start_matches(|c: char| c.is_ascii_whitespace()).strip_prefix('=');
        let value = match equals {
            None => "",
            Some(behind) => {
                let behind = behind.trim_start_matches(|c: char| c.is_ascii_whitespace());
                let quote = behind.chars().next().filter(|c| matches!(c, '"' | '\''));
                let (value, behind) = match quote {
                    Some(quote) => behind[1..].split_once(quote).unwrap_or((&behind[1..], "")),
                    None => {
                        let end = behind.find(|c: char| c.is_ascii_whitespace() || c == '>');
                        behind.split_at(end.unwrap_or(behind.len()))
                    }
                };
                rest = behind;
                value
            }
        };
        attributes.push((name.to_ascii_lowercase(), decoded(value)));
    }
}

/// The attributes that stay.
fn kept(element: &str, attributes: &[(String, String)]) -> Vec<Attribute> {
    let mut kept: Vec<Attribute> = Vec::new();
    for (name, value) in attributes {
        let value = value.trim();
        let Some((name, value)) = attribute(element, name, value) else { continue };
        if !kept.iter().any(|other| other.name == name) {
            kept.push(Attribute { name, value });
        }
    }
    kept
}

fn attribute(element: &str, name: &str, value: &str) -> Option<(&'static str, String)> {
    let is_cell = matches!(element, "td" | "th");
    let is_number = |most: u32| value.parse::<u32>().is_ok_and(|number| number <= most);
    let text = |name, is_kept: bool| is_kept.then(|| (name, value.to_owned()));
    match name {
        "href" if element == "a" => Some(("href", url::link(value)?)),
        "src" if element == "img" => Some(("src", url::image(value)?)),
        "alt" => text("alt", element == "img"),
        "title" => text("title", true),
        "style" => Some(("style", style::filtered(value)?)),
        "color" => text("color", element == "font" && style::color(value).is_some()),
        "size" => text("size", element == "font" && is_number(7)),
        "width" => text("width", element == "img" && is_number(4_000)),
        "height" => text("height", element == "img" && is_number(4_000)),
        "colspan" => text("colspan", is_cell && is_number(1_000)),
        "rowspan" => text("rowspan", is_cell && is_number(1_000)),
        "border" => text("border", element == "table" && is_number(20)),
        "start" => text("start", element == "ol" && is_number(1_000_000)),
        "align" => text("align", matches!(&*value.to_ascii_lowercase(), "left" | "right" | "center")),
        "dir" => text("dir", matches!(&*value.to_ascii_lowercase(), "ltr" | "rtl" | "auto")),
        "bgcolor" => {
            text("bgcolor", (is_cell || matches!(element, "table" | "tr")) && style::color(value).is_some())
        }
        _ => None,
    }
}
