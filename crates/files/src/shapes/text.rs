//! The text of a shape as HTML, which browsers wrap within the shape (ECMA-376 part 1, 21.1.2).

use std::fmt::Write as _;

use quick_xml::escape::escape;

use super::appearance::{Paint, color};
use super::{PIXELS_PER_POINT, UNITS_PER_PIXEL, XmlElement};
use crate::xlsx::colors::Theme;

/// Font size in hundredths of a point of texts without one.
const SIZE_DEFAULT: f64 = 1_100.0;
/// Distance of the text from the left and right side, and from the top and bottom, in EMU.
const INSETS: (f64, f64) = (91_440.0, 45_720.0);
/// The fonts of texts: the default font of Office, the free one with the same widths, and others.
const FONTS: &str = "Calibri,Carlito,Arial,sans-serif";

/// The paragraphs of a shape, one line each; empty without a text.
pub(crate) fn plain_text(body: &XmlElement) -> String {
    whole_text(body).trim().to_owned()
}

/// [`plain_text`] with blank lines at the start and the end.
pub(super) fn whole_text(body: &XmlElement) -> String {
    let paragraphs = body.elements().filter(|element| element.local_name() == "p");
    paragraphs.map(paragraph_text).collect::<Vec<_>>().join("\n")
}

/// The text of a paragraph, with its breaks as line feeds.
pub(super) fn paragraph_text(paragraph: &XmlElement) -> String {
    let pieces = paragraph.elements().map(|piece| match piece.local_name() {
        "r" | "fld" => piece.child("t").map(XmlElement::text).unwrap_or_default(),
        "br" => "\n".to_owned(),
        _ => String::new(),
    });
    pieces.collect()
}

/// The text as an element of HTML that fills its container. `style` is the color of the shape's style.
/// `None` without a text. `is_bare`: whether the shape has no fill.
pub(super) fn html(body: &XmlElement, style: Option<Paint>, theme: &Theme, is_bare: bool) -> Option<String> {
    if plain_text(body).is_empty() {
        return None;
    }
    let properties = body.child("bodyPr");
    let inset = |name: &str, default: f64| {
        let units = properties.and_then(|properties| properties.number(name)).unwrap_or(default);
        (units / UNITS_PER_PIXEL).clamp(0.0, 1_000.0)
    };
    let word = |name: &str| properties.and_then(|properties| properties.attribute(name));
    let (x, y) = INSETS;
    let padding = [inset("tIns", y), inset("rIns", x), inset("bIns", y), inset("lIns", x)];
    let padding = padding.map(|pixels| format!("{}px", (pixels * 10.0).round() / 10.0)).join(" ");
    let vertical = match word("anchor") {
        Some("ctr") => "center",
        Some("b") => "flex-end",
        _ => "flex-start",
    };
    let across = if word("anchorCtr") == Some("1") { ";align-items:center" } else { "" };
    let direction = match word("vert") {
        Some("vert" | "eaVert" | "mongolianVert") => ";writing-mode:vertical-rl",
        Some("vert270") => ";writing-mode:vertical-rl;transform:rotate(180deg)",
        _ => "",
    };
    let wrap = if word("wrap") == Some("none") { "pre" } else { "pre-wrap" };
    let mut html = format!(
        "<div xmlns=\"http://www.w3.org/1999/xhtml\" style=\"box-sizing:border-box;width:100%;height:100%;\
         display:flex;flex-direction:column;justify-content:{vertical}{across};padding:{padding};\
         white-space:{wrap};overflow-wrap:break-word;line-height:1.2;font-family:{FONTS}\
         {direction}\">"
    );
    let ink = style.unwrap_or(Paint::BLACK);
    let mut number = 0;
    for paragraph in body.elements().filter(|element| element.local_name() == "p") {
        push_paragraph(paragraph, ink, theme, is_bare, &mut number, &mut html);
    }
    html.push_str("</div>");
    Some(html)
}

fn push_paragraph(
    paragraph: &XmlElement,
    ink: Paint,
    theme: &Theme,
    is_bare: bool,
    number: &mut u32,
    html: &mut String,
) {
    let properties = paragraph.child("pPr");
    let align = match properties.and_then(|properties| properties.attribute("algn")) {
        Some("ctr") => "center",
        Some("r") => "right",
        Some("just" | "dist") => "justify",
        _ => "left",
    };
    let pixels = |name: &str| {
        let units = properties.and_then(|properties| properties.number(name)).unwrap_or(0.0);
        (units / UNITS_PER_PIXEL).clamp(-1_000.0, 1_000.0).round()
    };
    let end = paragraph.child("endParaRPr").and_then(|run| run.number("sz")).unwrap_or(SIZE_DEFAULT);
    let direction = match properties.and_then(|properties| properties.attribute("rtl")) {
        Some("1" | "true") => "rtl",
        _ => "ltr",
    };
    let _infallible = write!(
        html,
        "<p dir=\"{direction}\" style=\"margin:0 0 0 {}px;text-indent:{}px;text-align:{align};font-size:{}px\">",
        pixels("marL"),
        pixels("indent"),
        font_pixels(end)
    );
    let bullet = properties.and_then(|properties| {
        properties.elements().find_map(|element| match element.local_name() {
            "buChar" => Some(element.attribute("char")?.to_owned()),
            "buAutoNum" => {
                *number += 1;
                Some(format!("{number}."))
            }
            _ => None,
        })
    });
    if let Some(bullet) = &bullet {
        let _infallible = write!(html, "{} ", escape(bullet.as_str()));
    }
    let mut is_blank = bullet.is_none();
    for piece in paragraph.elements() {
        match piece.local_name() {
            "r" | "fld" => {
                let text = piece.child("t").map(XmlElement::text).unwrap_or_default();
                is_blank &= text.is_empty();
                let style = run_style(piece.child("rPr"), ink, theme, is_bare);
                let _infallible = write!(html, "<span style=\"{style}\">{}</span>", escape(text.as_str()));
            }
            "br" => html.push_str("<br/>"),
            _ => {}
        }
    }
    if is_blank {
        // An empty paragraph is as high as a line.
        html.push_str("<br/>");
    }
    html.push_str("</p>");
}

fn font_pixels(hundredths: f64) -> f64 {
    (hundredths.clamp(100.0, 40_000.0) / 100.0 * PIXELS_PER_POINT * 100.0).round() / 100.0
}

fn run_style(properties: Option<&XmlElement>, ink: Paint, theme: &Theme, is_bare: bool) -> String {
    let word = |name: &str| properties.and_then(|properties| properties.attribute(name));
    let is_on = |name: &str| matches!(word(name), Some("1" | "true"));
    let own = properties.and_then(|properties| color(properties.child("solidFill")?, theme));
    let size = properties.and_then(|properties| properties.number("sz")).unwrap_or(SIZE_DEFAULT);
    let mut style = format!("font-size:{}px;color:{}", font_pixels(size), own.unwrap_or(ink).css(is_bare));
    if is_on("b") {
        style.push_str(";font-weight:bold");
    }
    if is_on("i") {
        style.push_str(";font-style:italic");
    }
    let underline = word("u").filter(|kind| *kind != "none").map(|_| "underline");
    let strike = word("strike").filter(|kind| *kind != "noStrike").map(|_| "line-through");
    let decorations: Vec<&str> = [underline, strike].into_iter().flatten().collect();
    if !decorations.is_empty() {
        let _infallible = write!(style, ";text-decoration:{}", decorations.join(" "));
    }
    match properties.and_then(|properties| properties.number("baseline")) {
        Some(shift) if shift > 0.0 => style.push_str(";vertical-align:super;font-size:65%"),
        Some(shift) if shift < 0.0 => style.push_str(";vertical-align:sub;font-size:65%"),
        _ => {}
    }
    let font = properties.and_then(|properties| properties.child("latin")?.attribute("typeface"));
    // Fonts of the theme begin with a plus sign.
    if let Some(font) = font.filter(|font| !font.starts_with('+')) {
        let plain = |character: &char| character.is_alphanumeric() || matches!(character, ' ' | '-' | '_');
        let font: String = font.chars().filter(plain).take(100).collect();
        let _infallible = write!(style, ";font-family:'{font}',{FONTS}");
    }
    style
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_html_without_markup_of_its_own() {
        let body = "<xdr:txBody><a:bodyPr anchor=\"ctr\" lIns=\"0\"/><a:p><a:pPr algn=\"ctr\"/>\
            <a:r><a:rPr sz=\"1400\" b=\"1\"><a:latin typeface=\"Arial');x{\"/></a:rPr>\
            <a:t>5 &lt; 6</a:t></a:r></a:p><a:p><a:r><a:t>next</a:t></a:r></a:p></xdr:txBody>";
        let body = XmlElement::parse(body, 100_000).expect("XML");
        assert_eq!(plain_text(&body), "5 < 6\nnext");
        let html = html(&body, None, &Theme::default(), false).expect("a text");
        for part in [
            "justify-content:center",
            "padding:4.8px 9.6px 4.8px 0px",
            "text-align:center",
            "font-size:18.67px;color:#000000;font-weight:bold;font-family:'Arialx',",
            ">5 &lt; 6</span>",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
    }
}
