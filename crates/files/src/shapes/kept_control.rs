//! [`KeptControl`]: what the image of a form control, an ActiveX control or an embedded object keeps beside
//! its DrawingML.

use serde::{Deserialize, Serialize};

use super::kept_link::KeptLink;
use super::xml_element::XmlElement;
use crate::limits::SHAPE_BYTES_MAX;
use crate::xlsx::DECLARATION;

/// A control or an embedded object as it came, without its position, its ids and its references to cells.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct KeptControl {
    /// The element `control` or `oleObject` of the sheet, without prefixes. A form control of Excel 2007 has
    /// none.
    pub element: Option<String>,
    /// Its shape in VML, and the type of this shape.
    pub shape: String,
    pub shape_type: Option<String>,
    /// The relationships of both: their ids are those of this list.
    pub links: Vec<KeptLink>,
    /// The values of the input range when the file was read.
    pub choices: Vec<String>,
}

/// Types of relationships that lead to the parts of controls and embedded objects, by their last segments.
pub(crate) const PROPERTIES: &str = "ctrlProp";
pub(crate) const ACTIVE_X: &str = "control";
const EMBEDDED: [&str; 2] = ["oleObject", "package"];

impl KeptControl {
    /// The element of the sheet.
    pub fn element(&self) -> Option<XmlElement> {
        XmlElement::parse(self.element.as_ref()?, SHAPE_BYTES_MAX)
    }

    /// The shape in VML.
    pub fn shape(&self) -> Option<XmlElement> {
        XmlElement::parse(&self.shape, SHAPE_BYTES_MAX)
    }

    /// The XML of the part with the properties of a form control, or of an ActiveX control.
    pub fn properties(&self) -> Option<XmlElement> {
        let link = self.links.iter().find(|link| matches!(link_kind(link), PROPERTIES | ACTIVE_X))?;
        XmlElement::parse(&link.part.as_ref()?.xml, SHAPE_BYTES_MAX)
    }

    /// Changes the element of this part, if there is one. Without a change it stays as it was written.
    pub fn change_properties(&mut self, change: impl FnOnce(Option<&mut XmlElement>)) {
        let link = self.links.iter_mut().find(|link| matches!(link_kind(link), PROPERTIES | ACTIVE_X));
        let part = link.and_then(|link| link.part.as_mut());
        let before = part.as_ref().and_then(|part| XmlElement::parse(&part.xml, SHAPE_BYTES_MAX));
        let (Some(part), Some(before)) = (part, before) else { return change(None) };
        let mut properties = before.clone();
        change(Some(&mut properties));
        if properties != before {
            part.xml = DECLARATION.to_owned();
            properties.write(&mut part.xml);
        }
    }
}

/// The last segment of the type of a relationship.
pub(crate) fn link_kind(link: &KeptLink) -> &str {
    link.kind.rsplit('/').next().unwrap_or_default()
}

/// Whether a relationship leads to an embedded object.
pub(crate) fn is_embedded(link: &KeptLink) -> bool {
    EMBEDDED.contains(&link_kind(link))
}

/// The data that a control has in its shape in VML.
pub(crate) fn client_data(shape: &XmlElement) -> Option<&XmlElement> {
    shape.child("ClientData")
}

/// The element of the sheet's control or embedded object that has the further properties.
pub(crate) fn control_properties(element: &XmlElement) -> Option<&XmlElement> {
    element.child("controlPr").or_else(|| element.child("objectPr"))
}

/// [`control_properties`], to change it.
pub(crate) fn control_properties_mut(element: &mut XmlElement) -> Option<&mut XmlElement> {
    let name = if element.child("controlPr").is_some() { "controlPr" } else { "objectPr" };
    element.child_mut(name)
}

/// A reference of a control to cells, with all places of a file in which it stands.
pub(crate) struct ControlReference {
    /// The attribute of `formControlPr`.
    pub property: &'static str,
    /// The attribute of `controlPr`, for ActiveX controls.
    pub attribute: Option<&'static str>,
    /// The element of `ClientData` in VML.
    pub vml: &'static str,
}

/// The cell that has the value.
pub(crate) const LINKED_CELL: ControlReference =
    ControlReference { property: "fmlaLink", attribute: Some("linkedCell"), vml: "FmlaLink" };
/// The cells with the choices of a list.
pub(crate) const INPUT_RANGE: ControlReference =
    ControlReference { property: "fmlaRange", attribute: Some("listFillRange"), vml: "FmlaRange" };
/// References that are not kept.
pub(crate) const OTHER_REFERENCES: [ControlReference; 3] = [
    ControlReference { property: "fmlaTxbx", attribute: None, vml: "FmlaTxbx" },
    ControlReference { property: "fmlaGroup", attribute: None, vml: "FmlaGroup" },
    ControlReference { property: "fmlaPict", attribute: None, vml: "FmlaPict" },
];

impl ControlReference {
    /// Changes the reference wherever it stands: `None` removes it.
    pub fn set(
        &self,
        element: Option<&mut XmlElement>,
        shape: &mut XmlElement,
        properties: Option<&mut XmlElement>,
        text: Option<&str>,
    ) {
        if let Some(properties) = properties {
            set_existing(properties, self.property, text);
        }
        let of_sheet = element.and_then(|element| element.child_mut("controlPr"));
        if let (Some(of_sheet), Some(attribute)) = (of_sheet, self.attribute) {
            set_existing(of_sheet, attribute, text);
        }
        let Some(data) = shape.child_mut("ClientData") else { return };
        match text {
            Some(text) => {
                if let Some(formula) = data.child_mut(self.vml) {
                    formula.set_text(text);
                }
            }
            None => data.remove_children(self.vml),
        }
    }

    /// The reference as it stands in a file.
    pub fn text(
        &self,
        element: Option<&XmlElement>,
        shape: &XmlElement,
        properties: Option<&XmlElement>,
    ) -> Option<String> {
        let of_properties = properties.and_then(|properties| properties.attribute(self.property));
        let of_sheet = self.attribute.and_then(|attribute| {
            element.and_then(|element| element.child("controlPr"))?.attribute(attribute)
        });
        let of_shape = || client_data(shape)?.child(self.vml).map(|formula| formula.text().trim().to_owned());
        of_properties.or(of_sheet).map(str::to_owned).or_else(of_shape).filter(|text| !text.is_empty())
    }
}

fn set_existing(element: &mut XmlElement, name: &str, text: Option<&str>) {
    match text {
        Some(text) if element.attribute(name).is_some() => element.set(name, text),
        Some(_) => {}
        None => element.remove(name),
    }
}
