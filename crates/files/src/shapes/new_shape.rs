//! The DrawingML of new shapes, with the colors that Excel gives them in the theme of Office.

use super::attributes::ObjectKind;
use super::xml_element::XmlElement;

const NAMESPACES: &str = "xmlns:xdr=\"http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing\" \
    xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"";

/// A new shape without its size. Without a preset it is a text box.
pub(super) fn element(kind: ObjectKind, preset: Option<&str>) -> XmlElement {
    let geometry = |preset: &str| format!("<a:prstGeom prst=\"{preset}\"><a:avLst/></a:prstGeom>");
    let xml = match (kind, preset) {
        (ObjectKind::Line, Some(preset)) => format!(
            "<xdr:cxnSp {NAMESPACES} macro=\"\"><xdr:nvCxnSpPr><xdr:cNvPr id=\"2\" name=\"Line\"/>\
             <xdr:cNvCxnSpPr/></xdr:nvCxnSpPr><xdr:spPr>{}{}</xdr:spPr></xdr:cxnSp>",
            geometry(preset),
            line("4472C4", 19_050)
        ),
        (_, Some(preset)) => {
            shape("Shape", "", &geometry(preset), "4472C4", &line("2F528F", 9_525), "ctr", "FFFFFF")
        }
        (_, None) => shape(
            "TextBox",
            " txBox=\"1\"",
            &geometry("rect"),
            "FFFFFF",
            &line("BFBFBF", 9_525),
            "t",
            "000000",
        ),
    };
    XmlElement::parse(&xml, 10_000).expect("an element")
}

/// A line of this breadth in EMU.
fn line(color: &str, units: u32) -> String {
    format!("<a:ln w=\"{units}\"><a:solidFill><a:srgbClr val=\"{color}\"/></a:solidFill></a:ln>")
}

/// A shape with the format of its text; `anchor` is where the text is.
fn shape(
    name: &str,
    box_attribute: &str,
    geometry: &str,
    fill: &str,
    line: &str,
    anchor: &str,
    ink: &str,
) -> String {
    let side = if anchor == "ctr" { "<a:pPr algn=\"ctr\"/>" } else { "<a:pPr algn=\"l\"/>" };
    format!(
        "<xdr:sp {NAMESPACES} macro=\"\" textlink=\"\"><xdr:nvSpPr><xdr:cNvPr id=\"2\" name=\"{name}\"/>\
         <xdr:cNvSpPr{box_attribute}/></xdr:nvSpPr><xdr:spPr>{geometry}<a:solidFill><a:srgbClr val=\"{fill}\"/>\
         </a:solidFill>{line}</xdr:spPr><xdr:txBody><a:bodyPr vertOverflow=\"clip\" horzOverflow=\"clip\" \
         wrap=\"square\" rtlCol=\"0\" anchor=\"{anchor}\"/><a:lstStyle/><a:p>{side}<a:endParaRPr sz=\"1100\">\
         <a:solidFill><a:srgbClr val=\"{ink}\"/></a:solidFill><a:latin typeface=\"+mn-lt\"/>\
         <a:ea typeface=\"+mn-ea\"/><a:cs typeface=\"+mn-cs\"/></a:endParaRPr></a:p></xdr:txBody></xdr:sp>"
    )
}
