//! [`ControlState`]: what a form control, an ActiveX control or an embedded object shows.

use super::kept_control::{KeptControl, client_data, is_embedded};
use super::text::plain_text;
use super::xml_element::{NOTHING, XmlElement};

/// Choices of a list that are shown, at most.
const CHOICES_MAX: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ControlKind {
    Button,
    CheckBox,
    OptionButton,
    DropDown,
    ListBox,
    Spinner,
    ScrollBar,
    GroupBox,
    Label,
    TextBox,
    Embedded,
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum CheckState {
    Unchecked,
    Checked,
    /// Neither.
    Mixed,
}

/// What is drawn of a control.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ControlState {
    pub(super) kind: ControlKind,
    /// The text on it, or the name of an embedded object's program.
    pub(super) label: String,
    /// The name by which macros know it.
    name: String,
    pub(super) check: CheckState,
    /// Where the thumb of a scroll bar is, between 0 and 1.
    pub(super) position: f64,
    pub(super) is_horizontal: bool,
    pub(super) choices: Vec<String>,
    /// The number of the chosen one, from 1.
    pub(super) chosen: usize,
    pub(super) font: Option<String>,
    /// In points.
    pub(super) font_size: Option<f64>,
    /// `#rrggbb`.
    pub(super) color: Option<String>,
    pub(super) fill: Option<String>,
}

/// Classes of ActiveX controls (Microsoft Forms 2.0).
const CLASSES: [(&str, ControlKind); 10] = [
    ("D7053240-CE69-11CD-A777-00DD01143C57", ControlKind::Button),
    ("8BD21D60-EC42-11CE-9E0D-00AA006002F3", ControlKind::Button),
    ("8BD21D40-EC42-11CE-9E0D-00AA006002F3", ControlKind::CheckBox),
    ("8BD21D50-EC42-11CE-9E0D-00AA006002F3", ControlKind::OptionButton),
    ("8BD21D30-EC42-11CE-9E0D-00AA006002F3", ControlKind::DropDown),
    ("8BD21D20-EC42-11CE-9E0D-00AA006002F3", ControlKind::ListBox),
    ("79176FB0-B7F2-11CE-97EF-00AA006D2776", ControlKind::Spinner),
    ("DFD181E0-5E2F-11CE-A449-00AA004A803D", ControlKind::ScrollBar),
    ("978C9E23-D4B0-11CE-BF2D-00AA003F40D0", ControlKind::Label),
    ("8BD21D10-EC42-11CE-9E0D-00AA006002F3", ControlKind::TextBox),
];

impl ControlState {
    /// The state that a file has stored. `drawn`: the element of the drawing, which has the text of newer files.
    pub fn of(control: &KeptControl, drawn: Option<&XmlElement>) -> ControlState {
        let element = control.element().unwrap_or_default();
        let shape = control.shape().unwrap_or_default();
        let properties = control.properties().unwrap_or_default();
        let data = client_data(&shape).unwrap_or(&NOTHING);
        let number = |attribute: &str, vml: &str| {
            let in_vml = || data.child(vml)?.text().trim().parse::<f64>().ok();
            properties.number(attribute).or_else(in_vml).filter(|number| number.is_finite())
        };
        let active_x = |name: &str| {
            let values = properties.elements().filter(|value| value.attribute("ax:name") == Some(name));
            values.filter_map(|value| value.attribute("ax:value")).next().map(str::to_owned)
        };
        let kind = kind(control, &properties, data);
        let label = match kind {
            ControlKind::Embedded => {
                element.attribute("progId").and_then(|id| id.split('.').next()).map(str::to_owned)
            }
            _ => active_x("Caption")
                .or_else(|| drawn?.child("txBody").map(plain_text))
                .filter(|text| !text.is_empty())
                .or_else(|| shape.child("textbox").map(|text| one_line(&text.text()))),
        };
        let drawn_name = drawn.and_then(super::object_properties).and_then(|own| own.attribute("name"));
        let name = element.attribute("name").or(drawn_name).map(str::to_owned);
        let value = || active_x("Value").or_else(|| Some(data.child("Checked")?.text().trim().to_owned()));
        let check = match properties.attribute("checked") {
            Some("Checked") => CheckState::Checked,
            Some("Mixed") => CheckState::Mixed,
            _ => match value().as_deref() {
                Some("1" | "True") => CheckState::Checked,
                Some("2") => CheckState::Mixed,
                _ => CheckState::Unchecked,
            },
        };
        let (minimum, maximum) = (number("min", "Min").unwrap_or(0.0), number("max", "Max").unwrap_or(100.0));
        let value = number("val", "Val").unwrap_or(minimum);
        let position =
            if maximum > minimum { ((value - minimum) / (maximum - minimum)).clamp(0.0, 1.0) } else { 0.0 };
        let items = properties.child("itemLst").unwrap_or(&NOTHING);
        let choices = items.elements().filter_map(|item| item.attribute("val")).map(str::to_owned);
        let font = shape.child("textbox").and_then(|text| first(text, "font")).unwrap_or(&NOTHING);
        ControlState {
            kind,
            label: label.unwrap_or_default(),
            name: name.unwrap_or_else(|| shape_name(&shape)),
            check,
            position,
            is_horizontal: properties.attribute("horiz") == Some("1") || data.child("Horiz").is_some(),
            choices: choices.chain(control.choices.iter().cloned()).take(CHOICES_MAX).collect(),
            chosen: number("sel", "Sel").map_or(0, |chosen| chosen as usize),
            font: font.attribute("face").and_then(font_name),
            // Twentieths of a point.
            font_size: font.number("size").map(|size| (size / 20.0).clamp(4.0, 100.0)),
            color: font.attribute("color").and_then(rgb),
            fill: shape
                .attribute("fillcolor")
                .filter(|_| shape.attribute("filled") != Some("f"))
                .and_then(rgb),
        }
    }

    /// What describes it for people who do not see it: its text, or its name.
    pub fn description(&self) -> Option<String> {
        let texts = [&self.label, &self.name];
        texts.into_iter().find(|text| !text.is_empty()).cloned()
    }
}

fn kind(control: &KeptControl, properties: &XmlElement, data: &XmlElement) -> ControlKind {
    if control.links.iter().any(is_embedded) {
        return ControlKind::Embedded;
    }
    if let Some(class) = properties.attribute("ax:classid") {
        let class = class.trim_matches(['{', '}']);
        let known = CLASSES.iter().find(|(known, _)| known.eq_ignore_ascii_case(class));
        return known.map_or(ControlKind::Unknown, |(_, kind)| *kind);
    }
    match properties.attribute("objectType").or(data.attribute("ObjectType")).unwrap_or_default() {
        "Button" => ControlKind::Button,
        "CheckBox" | "Checkbox" => ControlKind::CheckBox,
        "Radio" => ControlKind::OptionButton,
        "Drop" => ControlKind::DropDown,
        "List" => ControlKind::ListBox,
        "Spin" => ControlKind::Spinner,
        "Scroll" => ControlKind::ScrollBar,
        "GBox" => ControlKind::GroupBox,
        "Label" => ControlKind::Label,
        "EditBox" | "Edit" => ControlKind::TextBox,
        _ => ControlKind::Unknown,
    }
}

/// The name of a shape in VML, which writes what cannot be in an identity as `_x0020_`; empty for one that is only
/// a number.
fn shape_name(shape: &XmlElement) -> String {
    let id = shape.attribute("id").filter(|id| !id.starts_with("_x0000_s")).unwrap_or_default();
    let mut pieces = id.split("_x");
    let mut name = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let code = piece.get(..5).and_then(|code| code.strip_suffix('_'));
        match code.and_then(|code| char::from_u32(u32::from_str_radix(code, 16).ok()?)) {
            Some(character) => {
                name.push(character);
                name.push_str(&piece[5..]);
            }
            None => {
                name.push_str("_x");
                name.push_str(piece);
            }
        }
    }
    name
}

/// The first element of this name within another one.
fn first<'e>(element: &'e XmlElement, name: &str) -> Option<&'e XmlElement> {
    element.elements().find_map(|part| if part.local_name() == name { Some(part) } else { first(part, name) })
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A name that can stand in a style sheet.
fn font_name(name: &str) -> Option<String> {
    let is_name = name.chars().all(|character| character.is_alphanumeric() || matches!(character, ' ' | '-'));
    (is_name && !name.is_empty()).then(|| name.to_owned())
}

/// A color of six or three digits; VML writes a number of the palette after it.
fn rgb(color: &str) -> Option<String> {
    let color = color.split(' ').next()?;
    let digits = color.strip_prefix('#')?;
    let is_color = matches!(digits.len(), 3 | 6) && digits.chars().all(|digit| digit.is_ascii_hexdigit());
    is_color.then(|| color.to_owned())
}
