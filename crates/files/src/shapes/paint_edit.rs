//! Changes the fill and the line of a shape (ECMA-376 part 1, 20.1.8 and 20.1.2.2.24).

use super::UNITS_PER_PIXEL;
use super::attributes::{Named, Rgb, ShapeAttributes};
use super::xml_element::{XmlElement, XmlNode};

/// The elements of fills, of which there is one.
const FILLS: [&str; 6] = ["noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill"];
/// Elements that precede others of `CT_ShapeProperties` and `CT_LineProperties`.
const BEFORE_FILL: [&str; 3] = ["xfrm", "custGeom", "prstGeom"];
const BEFORE_DASH: [&str; 6] = FILLS;
const JOINS: [&str; 3] = ["round", "bevel", "miter"];
const DASHES: [&str; 2] = ["prstDash", "custDash"];

/// Changes fill and line of the properties of a shape (`spPr`). `prefix` is that of DrawingML, with a colon.
pub(super) fn change_paint(properties: &mut XmlElement, attributes: &ShapeAttributes, prefix: &str) {
    match attributes.fill {
        Some(Some(color)) => put_solid_fill(properties, &BEFORE_FILL, color, prefix),
        Some(None) => put_fill(properties, &BEFORE_FILL, XmlElement::named(&format!("{prefix}noFill"))),
        None => {}
    }
    let ShapeAttributes { outline, outline_width, outline_dash, start_arrow, end_arrow, .. } = attributes;
    let has_change = outline.is_some() || outline_width.is_some() || outline_dash.is_some();
    if !has_change && start_arrow.is_none() && end_arrow.is_none() {
        return;
    }
    if properties.child("ln").is_none() {
        let before = [&BEFORE_FILL[..], &FILLS].concat();
        properties.insert_after(&before, XmlElement::named(&format!("{prefix}ln")));
    }
    let line = properties.child_mut("ln").expect("it was added");
    match outline {
        Some(Some(color)) => put_solid_fill(line, &[], *color, prefix),
        Some(None) => put_fill(line, &[], XmlElement::named(&format!("{prefix}noFill"))),
        None => {}
    }
    if let Some(pixels) = outline_width {
        line.set("w", (pixels * UNITS_PER_PIXEL).round() as i64);
    }
    if let Some(dash) = outline_dash {
        DASHES.iter().for_each(|name| line.remove_children(name));
        let mut element = XmlElement::named(&format!("{prefix}prstDash"));
        element.set("val", dash.name());
        line.insert_after(&BEFORE_DASH, element);
    }
    let before = [&BEFORE_DASH[..], &DASHES, &JOINS].concat();
    // The one at the start precedes the one at the end.
    put_arrow(line, &before, "headEnd", *start_arrow, prefix);
    put_arrow(line, &[&before[..], &["headEnd"]].concat(), "tailEnd", *end_arrow, prefix);
}

fn put_arrow(line: &mut XmlElement, before: &[&str], name: &str, is_arrow: Option<bool>, prefix: &str) {
    let Some(is_arrow) = is_arrow else { return };
    // Arrows of other kinds stay.
    if is_arrow == has_arrow(line, name) {
        return;
    }
    line.remove_children(name);
    if is_arrow {
        let mut end = XmlElement::named(&format!("{prefix}{name}"));
        end.set("type", "triangle");
        line.insert_after(before, end);
    }
}

/// Whether a line has an arrowhead: at its start `headEnd`, at its end `tailEnd`.
pub(super) fn has_arrow(line: &XmlElement, name: &str) -> bool {
    line.child(name).and_then(|end| end.attribute("type")).is_some_and(|kind| kind != "none")
}

/// Replaces the fill by a color, after the elements of these names.
pub(super) fn put_solid_fill(parent: &mut XmlElement, before: &[&str], Rgb(color): Rgb, prefix: &str) {
    let mut value = XmlElement::named(&format!("{prefix}srgbClr"));
    value.set("val", format_args!("{color:06X}"));
    let mut fill = XmlElement::named(&format!("{prefix}solidFill"));
    fill.children.push(XmlNode::Element(value));
    put_fill(parent, before, fill);
}

fn put_fill(parent: &mut XmlElement, before: &[&str], fill: XmlElement) {
    FILLS.iter().for_each(|name| parent.remove_children(name));
    parent.insert_after(before, fill);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(properties: &str, attributes: &str) -> String {
        let xml = format!("<x:spPr>{properties}</x:spPr>");
        let mut properties = XmlElement::parse(&xml, 100_000).expect("XML");
        change_paint(&mut properties, &serde_json::from_str(attributes).expect("attributes"), "a:");
        let mut xml = String::new();
        properties.write(&mut xml);
        xml.trim_start_matches("<x:spPr>").trim_end_matches("</x:spPr>").to_owned()
    }

    #[test]
    fn a_fill_replaces_another_one_before_the_line() {
        let before = "<a:xfrm/><a:prstGeom prst=\"rect\"/><a:gradFill/><a:ln w=\"9525\"/><a:effectLst/>";
        let fill = "<a:solidFill><a:srgbClr val=\"0A0B0C\"/></a:solidFill>";
        assert_eq!(changed(before, r##"{"fill":"#0a0b0c"}"##), before.replace("<a:gradFill/>", fill));
        assert_eq!(changed(before, r#"{"fill":null}"#), before.replace("<a:gradFill/>", "<a:noFill/>"));
    }

    #[test]
    fn attributes_of_a_line_are_in_the_order_of_the_standard() {
        let all = r##"{"outline":"#0000ff","outlineWidth":1.5,"outlineDash":"sysDot","startArrow":true,"endArrow":true}"##;
        assert_eq!(
            changed("<a:prstGeom/><a:noFill/><a:effectLst/>", all),
            "<a:prstGeom/><a:noFill/><a:ln w=\"14288\"><a:solidFill><a:srgbClr val=\"0000FF\"/></a:solidFill>\
             <a:prstDash val=\"sysDot\"/><a:headEnd type=\"triangle\"/><a:tailEnd type=\"triangle\"/></a:ln>\
             <a:effectLst/>"
        );
        let before = "<a:ln cap=\"rnd\"><a:gradFill/><a:custDash/><a:miter lim=\"800000\"/>\
            <a:headEnd type=\"oval\"/><a:tailEnd type=\"stealth\" w=\"lg\"/></a:ln>";
        assert_eq!(
            changed(before, r#"{"outlineDash":"dash","startArrow":true,"endArrow":false}"#),
            "<a:ln cap=\"rnd\"><a:gradFill/><a:prstDash val=\"dash\"/><a:miter lim=\"800000\"/>\
             <a:headEnd type=\"oval\"/></a:ln>"
        );
        assert_eq!(changed("<a:ln w=\"5\"/>", r#"{"outline":null}"#), "<a:ln w=\"5\"><a:noFill/></a:ln>");
    }
}
