//! Draws form controls and embedded objects: plain HTML that follows the size of the image.

use std::collections::HashMap;
use std::fmt::Write as _;

use quick_xml::escape::escape;

use super::PIXELS_PER_POINT;
use super::control_state::{CheckState, ControlKind, ControlState};
use super::kept_control::KeptControl;
use super::xml_element::XmlElement;

/// Points of a text without a size: that of form controls of Excel.
const POINTS_DEFAULT: f64 = 8.0;
const TICK: &str = "<path d=\"M3 6.5L5.5 9L10 3.5\" fill=\"none\" stroke=\"#000\" stroke-width=\"1.6\"/>";
const DASH: &str = "<path d=\"M3 6.5H10\" stroke=\"#000\" stroke-width=\"2\"/>";
const SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
/// Of texts that lie on the sheet, which can be dark.
const INK: &str = "light-dark(#000,#e8eaed)";
const BOX: &str = "background:#fff;border:1px solid #767676;color:#000";
const FACE: &str = "background:#f0f0f0;border:1px solid #767676;color:#000";
/// Fills the rest of a row.
const REST: &str = "flex:1;min-width:0;white-space:nowrap;overflow:hidden;padding:0 3px";

/// The drawing of a control. `drawn`: the element of the file's drawing. `displayed`: the ids of images that
/// browsers display, by the ids of their relationships.
pub(super) fn likeness(
    control: &KeptControl,
    drawn: Option<&XmlElement>,
    displayed: &HashMap<String, String>,
) -> String {
    let preview = control.links.iter().find_map(|link| displayed.get(&link.id));
    if let Some(id) = preview {
        return format!(
            "<svg width=\"100%\" height=\"100%\" viewBox=\"0 0 1 1\" preserveAspectRatio=\"none\">\
             <use href=\"#{id}\"/></svg>"
        );
    }
    let state = ControlState::of(control, drawn);
    let (style, contents) = parts(&state);
    let font = state.font.as_ref().map(|name| format!("'{name}',")).unwrap_or_default();
    let pixels = state.font_size.unwrap_or(POINTS_DEFAULT) * PIXELS_PER_POINT;
    format!(
        "<foreignObject width=\"100%\" height=\"100%\"><div xmlns=\"http://www.w3.org/1999/xhtml\" \
         style=\"box-sizing:border-box;width:100%;height:100%;overflow:hidden;display:flex;align-items:center;\
         font:{}px/1.2 {font}Calibri,Carlito,Arial,sans-serif;{style}\">{contents}</div></foreignObject>",
        (pixels * 10.0).round() / 10.0
    )
}

/// The style of the outer element, and what is in it.
fn parts(state: &ControlState) -> (String, String) {
    let ink = state.color.as_ref().filter(|color| *color != "#000000" && *color != "#000");
    let ink = ink.map_or(INK, |color| color.as_str());
    let fill = state.fill.as_ref().map(|fill| format!(";background:{fill}")).unwrap_or_default();
    let label = escape(state.label.as_str());
    match state.kind {
        ControlKind::CheckBox => {
            let mark = match state.check {
                CheckState::Unchecked => "",
                CheckState::Checked => TICK,
                CheckState::Mixed => DASH,
            };
            let rect =
                "<rect x=\".5\" y=\".5\" width=\"12\" height=\"12\" fill=\"#fff\" stroke=\"#767676\"/>";
            let mark = format!("{rect}{mark}");
            (format!("color:{ink}{fill}"), format!("{}<span>{label}</span>", symbol(13, &mark)))
        }
        ControlKind::OptionButton => {
            let dot = if state.check == CheckState::Checked {
                "<circle cx=\"6.5\" cy=\"6.5\" r=\"3\"/>"
            } else {
                ""
            };
            let ring = "<circle cx=\"6.5\" cy=\"6.5\" r=\"6\" fill=\"#fff\" stroke=\"#767676\"/>";
            (
                format!("color:{ink}{fill}"),
                format!("{}<span>{label}</span>", symbol(13, &format!("{ring}{dot}"))),
            )
        }
        ControlKind::Button => {
            let style = format!("{FACE}{fill};border-radius:2px;justify-content:center;text-align:center");
            (style, format!("<span>{label}</span>"))
        }
        ControlKind::DropDown => {
            let chosen = state.chosen.checked_sub(1).and_then(|chosen| state.choices.get(chosen));
            let chosen = escape(chosen.map_or("", |chosen| chosen.as_str()));
            (
                BOX.to_owned(),
                format!("<span style=\"{REST}\">{chosen}</span>{}", arrow("down", "height:100%")),
            )
        }
        ControlKind::ListBox => {
            let mut rows = String::new();
            for (index, choice) in state.choices.iter().enumerate() {
                let is_chosen = index + 1 == state.chosen;
                let style = if is_chosen { ";background:#0078d7;color:#fff" } else { "" };
                let choice = escape(choice.as_str());
                let _infallible = write!(rows, "<div style=\"padding:0 3px{style}\">{choice}</div>");
            }
            let bar = column(
                &arrow("up", "width:100%"),
                &arrow("down", "width:100%"),
                "<div style=\"flex:1\"></div>",
            );
            let list =
                format!("<div style=\"flex:1;min-width:0;height:100%;white-space:nowrap\">{rows}</div>");
            (BOX.to_owned(), format!("{list}<div style=\"height:100%;width:17px\">{bar}</div>"))
        }
        ControlKind::Spinner => {
            let half = "flex:1;width:100%";
            let (first, last) = match state.is_horizontal {
                true => ("left", "right"),
                false => ("up", "down"),
            };
            let (first, last) = (arrow(first, half), arrow(last, half));
            match state.is_horizontal {
                true => (String::new(), format!("{first}{last}").replace("width:100%", "height:100%")),
                false => (String::new(), column(&first, &last, "")),
            }
        }
        ControlKind::ScrollBar => {
            let before = (state.position * 1_000.0).round() + 1.0;
            let thumb = format!(
                "<div style=\"flex:{before}\"></div><div style=\"flex:0 0 17px;align-self:stretch;{FACE}\"></div>\
                 <div style=\"flex:{}\"></div>",
                1_002.0 - before
            );
            let style = "background:#e3e3e3".to_owned();
            match state.is_horizontal {
                true => {
                    let (first, last) = (arrow("left", "height:100%"), arrow("right", "height:100%"));
                    (style, format!("{first}{thumb}{last}"))
                }
                false => (style, column(&arrow("up", "width:100%"), &arrow("down", "width:100%"), &thumb)),
            }
        }
        ControlKind::GroupBox => {
            let style = "box-sizing:border-box;width:100%;height:100%;margin:0;padding:0 6px;\
                border:1px solid #8a8a8a;border-radius:2px";
            let legend = format!("<legend style=\"padding:0 2px\">{label}</legend>");
            (format!("color:{ink}{fill}"), format!("<fieldset style=\"{style}\">{legend}</fieldset>"))
        }
        ControlKind::Label => {
            (format!("align-items:flex-start;color:{ink}{fill}"), format!("<span>{label}</span>"))
        }
        ControlKind::TextBox => (BOX.to_owned(), format!("<span style=\"{REST}\">{label}</span>")),
        ControlKind::Embedded | ControlKind::Unknown => {
            let page = "<path d=\"M3 1.5h10l5 5v14h-15z\" fill=\"#fff\" stroke=\"#767676\"/>\
                <path d=\"M13 1.5v5h5\" fill=\"none\" stroke=\"#767676\"/>";
            let text = escape(state.description().unwrap_or_default()).into_owned();
            let style = "background:#f3f4f6;border:1px solid #9aa0a6;color:#000;flex-direction:column;\
                justify-content:center;gap:4px;text-align:center";
            (style.to_owned(), format!("{}<span>{text}</span>", symbol(22, page)))
        }
    }
}

/// A symbol of this width and height in pixels.
fn symbol(pixels: u32, contents: &str) -> String {
    format!(
        "{SVG} width=\"{pixels}\" height=\"{pixels}\" style=\"flex:none;margin:0 4px 0 2px\">{contents}</svg>"
    )
}

/// Two buttons, one above the other, with what is between them.
fn column(first: &str, last: &str, between: &str) -> String {
    format!(
        "<div style=\"display:flex;flex-direction:column;align-items:center;width:100%;height:100%\">\
         {first}{between}{last}</div>"
    )
}

/// A button with an arrow.
fn arrow(direction: &str, size: &str) -> String {
    let path = match direction {
        "up" => "M1 6L4.5 2L8 6Z",
        "down" => "M1 3L4.5 7L8 3Z",
        "left" => "M6 1L2 4.5L6 8Z",
        _ => "M3 1L7 4.5L3 8Z",
    };
    format!(
        "<div style=\"box-sizing:border-box;flex:0 0 17px;min-width:0;min-height:0;display:flex;align-items:center;\
         justify-content:center;{FACE};{size}\">{SVG} width=\"9\" height=\"9\"><path d=\"{path}\"/></svg></div>"
    )
}
