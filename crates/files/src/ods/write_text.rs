//! Texts of cells as paragraphs and spans.

use quadrille_workbook::{FontScript, FormatPatch, UnderlineStyle};

use super::numbers::escaped;

/// The paragraphs of a text, one a line.
pub fn paragraphs(text: &str, link: Option<&str>) -> String {
    text.split('\n').map(|line| paragraph(&spaced(line), link)).collect()
}

/// A paragraph with this content, which may be a link.
pub fn paragraph(content: &str, link: Option<&str>) -> String {
    match link {
        Some(url) => format!(
            "<text:p><text:a xlink:type=\"simple\" xlink:href=\"{}\">{content}</text:a></text:p>",
            escaped(url)
        ),
        None => format!("<text:p>{content}</text:p>"),
    }
}

/// The text with elements for spaces that would be lost: consecutive, leading and trailing ones.
pub fn spaced(text: &str) -> String {
    let content = escaped(text);
    let is_lost = |space: char| text.starts_with(space) || text.ends_with(space);
    if is_lost(' ') || text.contains("  ") || text.contains('\t') {
        return content.replace(' ', "<text:s/>").replace('\t', "<text:tab/>");
    }
    content
}

/// The text properties of a part of a text.
pub fn font_properties(font: &FormatPatch) -> String {
    let mut text = String::new();
    for (flag, name, on, off) in [
        (font.bold, "fo:font-weight", "bold", "normal"),
        (font.italic, "fo:font-style", "italic", "normal"),
        (font.underline, "style:text-underline-style", "solid", "none"),
        (font.strikethrough, "style:text-line-through-style", "solid", "none"),
    ] {
        if let Some(is_set) = flag {
            text += &format!(" {name}=\"{}\"", if is_set { on } else { off });
        }
    }
    if let Some(style) = font.underline_style {
        let is_double = matches!(style, Some(UnderlineStyle::Double | UnderlineStyle::DoubleAccounting));
        text += &format!(" style:text-underline-type=\"{}\"", if is_double { "double" } else { "single" });
    }
    if let Some(script) = font.script {
        let position = match script {
            Some(FontScript::Superscript) => "super 58%",
            Some(FontScript::Subscript) => "sub 58%",
            None => "0% 100%",
        };
        text += &format!(" style:text-position=\"{position}\"");
    }
    match font.text_color {
        Some(Some(color)) => text += &format!(" fo:color=\"#{:06x}\"", color.0),
        Some(None) => text += " style:use-window-font-color=\"true\"",
        None => {}
    }
    if let Some(Some(size)) = font.font_size {
        text += &format!(" fo:font-size=\"{}pt\"", size.points());
    }
    if let Some(Some(family)) = &font.font_family {
        text += &format!(" style:font-name=\"{}\"", escaped(family));
    }
    text
}
