//! Changes the text of a shape and its format (ECMA-376 part 1, 21.1.2).

use super::attributes::{Horizontal, Named, ShapeAttributes};
use super::paint_edit::put_solid_fill;
use super::text::paragraph_text;
use super::xml_element::{XmlElement, XmlNode};

/// Hundredths of a point, the unit of font sizes.
const POINT: f64 = 100.0;
/// Elements that precede others of `CT_TextCharacterProperties`.
const BEFORE_FILL: [&str; 1] = ["ln"];

/// Changes the text body of a shape. `prefix` is that of DrawingML, with a colon.
pub(super) fn change_text(body: &mut XmlElement, attributes: &ShapeAttributes, prefix: &str) {
    if let Some(text) = &attributes.text {
        set_text(body, text, prefix);
    }
    for paragraph in body.elements_mut().filter(|element| element.local_name() == "p") {
        if let Some(horizontal) = attributes.horizontal {
            paragraph_properties(paragraph, prefix).set("algn", horizontal.name());
        }
        change_runs(paragraph, attributes, prefix);
    }
    if body.child("bodyPr").is_none() {
        body.insert_after(&[], XmlElement::named(&format!("{prefix}bodyPr")));
    }
    if let Some(properties) = body.child_mut("bodyPr") {
        if let Some(vertical) = attributes.vertical {
            properties.set("anchor", vertical.name());
        }
        if attributes.horizontal.is_some() {
            // It centers the text as a whole.
            properties.remove("anchorCtr");
        }
    }
}

/// Replaces the lines that differ. A new line has the format of the line that was in its place, or of the last
/// one.
fn set_text(body: &mut XmlElement, text: &str, prefix: &str) {
    let is_paragraph =
        |node: &XmlNode| matches!(node, XmlNode::Element(element) if element.local_name() == "p");
    let nodes = std::mem::take(&mut body.children);
    let (paragraphs, others): (Vec<XmlNode>, Vec<XmlNode>) = nodes.into_iter().partition(is_paragraph);
    let mut old: Vec<XmlElement> = paragraphs
        .into_iter()
        .filter_map(|node| match node {
            XmlNode::Element(element) => Some(element),
            XmlNode::Text(_) => None,
        })
        .collect();
    if old.is_empty() {
        old.push(XmlElement::named(&format!("{prefix}p")));
    }
    let lines: Vec<&str> = text.split('\n').collect();
    let kept_first = count_kept(old.iter(), lines.iter().copied(), |line| line);
    let mut lines_left = &lines[kept_first.lines..];
    let old_left = &old[kept_first.paragraphs..];
    let reversed = |text: String| text.split('\n').rev().map(str::to_owned).collect::<Vec<_>>().join("\n");
    let kept_last = count_kept(old_left.iter().rev(), lines_left.iter().rev().copied(), reversed);
    lines_left = &lines_left[..lines_left.len() - kept_last.lines];
    let mut new: Vec<XmlElement> = old[..kept_first.paragraphs].to_vec();
    let last = old.len() - 1;
    let format = old.iter().find_map(run_format);
    for (index, line) in lines_left.iter().enumerate() {
        let pattern = &old[(kept_first.paragraphs + index).min(last)];
        new.push(paragraph(pattern, format.as_ref(), line, prefix));
    }
    new.extend_from_slice(&old[old.len() - kept_last.paragraphs..]);
    body.children = others;
    body.children.extend(new.into_iter().map(XmlNode::Element));
}

/// Paragraphs that stay, and the lines that they have.
#[derive(Default)]
struct Kept {
    paragraphs: usize,
    lines: usize,
}

/// Counts the paragraphs whose text begins the lines. `ordered` puts the lines of a paragraph, which has several
/// if it has breaks, into the order of the iterators.
fn count_kept<'t, O: AsRef<str>>(
    paragraphs: impl Iterator<Item = &'t XmlElement>,
    lines: impl Iterator<Item = &'t str>,
    ordered: impl Fn(String) -> O,
) -> Kept {
    let lines: Vec<&str> = lines.collect();
    let mut kept = Kept::default();
    for paragraph in paragraphs {
        let own = ordered(paragraph_text(paragraph));
        let own: Vec<&str> = own.as_ref().split('\n').collect();
        if !lines[kept.lines..].starts_with(&own) {
            break;
        }
        kept.paragraphs += 1;
        kept.lines += own.len();
    }
    kept
}

/// A paragraph with a line of text, with the format of the pattern, or with `other` if it has none.
fn paragraph(pattern: &XmlElement, other: Option<&XmlElement>, line: &str, prefix: &str) -> XmlElement {
    let format = run_format(pattern).or_else(|| other.cloned());
    let named = |name: &str| match &format {
        Some(format) => XmlElement { name: format!("{prefix}{name}"), ..format.clone() },
        None => XmlElement::named(&format!("{prefix}{name}")),
    };
    let mut new = XmlElement::named(&pattern.name);
    new.children.extend(pattern.child("pPr").cloned().map(XmlNode::Element));
    if line.is_empty() {
        new.children.push(XmlNode::Element(named("endParaRPr")));
        return new;
    }
    let mut run = XmlElement::named(&format!("{prefix}r"));
    run.children.push(XmlNode::Element(named("rPr")));
    let mut text = XmlElement::named(&format!("{prefix}t"));
    text.set_text(line);
    run.children.push(XmlNode::Element(text));
    new.children.push(XmlNode::Element(run));
    follow_direction(&mut new, line, prefix);
    new
}

/// The format of the first run of a paragraph. A link of one of several runs is not part of it.
fn run_format(paragraph: &XmlElement) -> Option<XmlElement> {
    let runs: Vec<&XmlElement> =
        paragraph.elements().filter(|piece| matches!(piece.local_name(), "r" | "fld" | "br")).collect();
    let own = runs.iter().find_map(|run| run.child("rPr"));
    let mut format = own.or_else(|| paragraph.child("endParaRPr"))?.clone();
    if runs.len() > 1 {
        format.remove_children("hlinkClick");
        format.remove_children("hlinkMouseOver");
    }
    Some(format)
}

/// Sets the direction of a paragraph to that of its first letter. A text at its side of the start stays there.
fn follow_direction(paragraph: &mut XmlElement, line: &str, prefix: &str) {
    let Some(is_new_rtl) = line.chars().find(|character| character.is_alphabetic()).map(is_right_to_left)
    else {
        return;
    };
    let old = paragraph.child("pPr");
    let is_rtl = old.is_some_and(|old| matches!(old.attribute("rtl"), Some("1" | "true")));
    if is_rtl == is_new_rtl {
        return;
    }
    let side = old.and_then(|old| old.attribute("algn")).and_then(Horizontal::of_name);
    let (start, new_start) = match is_new_rtl {
        true => (Horizontal::Left, Horizontal::Right),
        false => (Horizontal::Right, Horizontal::Left),
    };
    let properties = paragraph_properties(paragraph, prefix);
    properties.set("rtl", u8::from(is_new_rtl));
    if side.unwrap_or(Horizontal::Left) == start {
        properties.set("algn", new_start.name());
    }
}

/// Whether a letter belongs to a script that is written from the right, such as Hebrew and Arabic.
fn is_right_to_left(letter: char) -> bool {
    matches!(letter, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}'
        | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

/// The properties of a paragraph, which are added if there are none.
fn paragraph_properties<'p>(paragraph: &'p mut XmlElement, prefix: &str) -> &'p mut XmlElement {
    if paragraph.child("pPr").is_none() {
        paragraph.insert_after(&[], XmlElement::named(&format!("{prefix}pPr")));
    }
    paragraph.child_mut("pPr").expect("it was added")
}

/// Changes the format of all runs of a paragraph, and of what is typed at its end.
fn change_runs(paragraph: &mut XmlElement, attributes: &ShapeAttributes, prefix: &str) {
    let ShapeAttributes { font_size, bold, italic, text_color, .. } = attributes;
    if font_size.is_none() && bold.is_none() && italic.is_none() && text_color.is_none() {
        return;
    }
    let mut has_runs = false;
    for piece in paragraph.elements_mut() {
        match piece.local_name() {
            "r" | "fld" | "br" => {
                has_runs = true;
                if piece.child("rPr").is_none() {
                    piece.insert_after(&[], XmlElement::named(&format!("{prefix}rPr")));
                }
                change_run(piece.child_mut("rPr").expect("it was added"), attributes, prefix);
            }
            "endParaRPr" => change_run(piece, attributes, prefix),
            _ => {}
        }
    }
    if !has_runs && paragraph.child("endParaRPr").is_none() {
        let mut end = XmlElement::named(&format!("{prefix}endParaRPr"));
        change_run(&mut end, attributes, prefix);
        paragraph.children.push(XmlNode::Element(end));
    }
}

fn change_run(properties: &mut XmlElement, attributes: &ShapeAttributes, prefix: &str) {
    if let Some(points) = attributes.font_size {
        properties.set("sz", (points * POINT).round() as i64);
    }
    for (name, value) in [("b", attributes.bold), ("i", attributes.italic)] {
        if let Some(value) = value {
            properties.set(name, u8::from(value));
        }
    }
    if let Some(color) = attributes.text_color {
        put_solid_fill(properties, &BEFORE_FILL, color, prefix);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(paragraphs: &str, attributes: &str) -> String {
        let body = format!("<x:txBody><a:bodyPr/>{paragraphs}</x:txBody>");
        let mut body = XmlElement::parse(&body, 100_000).expect("XML");
        change_text(&mut body, &serde_json::from_str(attributes).expect("attributes"), "a:");
        let mut xml = String::new();
        body.write(&mut xml);
        xml.trim_start_matches("<x:txBody><a:bodyPr/>").trim_end_matches("</x:txBody>").to_owned()
    }

    #[test]
    fn lines_that_stay_keep_their_format() {
        let bold = "<a:p><a:r><a:rPr b=\"1\"/><a:t>Title</a:t></a:r></a:p>";
        let mixed = "<a:p><a:r><a:rPr sz=\"900\"/><a:t>a</a:t></a:r><a:br/><a:r><a:t>b</a:t></a:r></a:p>";
        let last = "<a:p><a:r><a:rPr i=\"1\"/><a:t>end</a:t></a:r></a:p>";
        let all = format!("{bold}{mixed}{last}");
        assert_eq!(changed(&all, r#"{"text":"Title\na\nb\nend"}"#), all);
        let added = "<a:p><a:r><a:rPr i=\"1\"/><a:t>new</a:t></a:r></a:p>";
        assert_eq!(
            changed(&all, r#"{"text":"Title\na\nb\nnew\nend"}"#),
            format!("{bold}{mixed}{added}{last}")
        );
        let other = "<a:p><a:r><a:rPr sz=\"900\"/><a:t>other</a:t></a:r></a:p>";
        assert_eq!(changed(&all, r#"{"text":"Title\nother\nend"}"#), format!("{bold}{other}{last}"));
        let empty = "<a:p><a:endParaRPr b=\"1\"/></a:p>";
        assert_eq!(changed(&all, r#"{"text":""}"#), empty);
        let typed = "<a:p><a:r><a:rPr b=\"1\"/><a:t>1 &lt; 2</a:t></a:r></a:p>";
        assert_eq!(changed(empty, r#"{"text":"1 < 2"}"#), typed);
    }

    #[test]
    fn a_text_of_a_shape_without_paragraphs_is_added() {
        assert_eq!(changed("", r#"{"text":"a"}"#), "<a:p><a:r><a:rPr/><a:t>a</a:t></a:r></a:p>");
    }

    #[test]
    fn a_paragraph_has_the_direction_of_its_first_letter() {
        let left = "<a:p><a:r><a:rPr/><a:t>abc</a:t></a:r></a:p>";
        let arabic = changed(left, r#"{"text":"1. مرحبا"}"#);
        assert_eq!(arabic, "<a:p><a:pPr rtl=\"1\" algn=\"r\"/><a:r><a:rPr/><a:t>1. مرحبا</a:t></a:r></a:p>");
        let latin = changed(&arabic, r#"{"text":"abc"}"#);
        assert!(latin.starts_with("<a:p><a:pPr rtl=\"0\" algn=\"l\"/>"), "{latin}");
        let centered = changed("<a:p><a:pPr algn=\"ctr\"/></a:p>", r#"{"text":"שלום"}"#);
        assert!(centered.starts_with("<a:p><a:pPr algn=\"ctr\" rtl=\"1\"/>"), "{centered}");
    }

    #[test]
    fn formats_are_those_of_all_runs() {
        let text = "<a:p><a:r><a:rPr b=\"1\"><a:ln/><a:gradFill/><a:latin typeface=\"Arial\"/></a:rPr>\
            <a:t>a</a:t></a:r><a:r><a:t>b</a:t></a:r></a:p><a:p/>";
        let expected = "<a:p><a:pPr algn=\"r\"/><a:r><a:rPr b=\"0\" sz=\"1050\"><a:ln/><a:solidFill>\
            <a:srgbClr val=\"00AA11\"/></a:solidFill><a:latin typeface=\"Arial\"/></a:rPr><a:t>a</a:t></a:r>\
            <a:r><a:rPr sz=\"1050\" b=\"0\"><a:solidFill><a:srgbClr val=\"00AA11\"/></a:solidFill></a:rPr>\
            <a:t>b</a:t></a:r></a:p><a:p><a:pPr algn=\"r\"/><a:endParaRPr sz=\"1050\" b=\"0\"><a:solidFill>\
            <a:srgbClr val=\"00AA11\"/></a:solidFill></a:endParaRPr></a:p>";
        let attributes = r##"{"fontSize":10.5,"bold":false,"textColor":"#00aa11","horizontal":"right"}"##;
        assert_eq!(changed(text, attributes), expected);
    }
}
