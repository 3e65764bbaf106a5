//! Shapes of `.xlsx` files: text boxes, lines, arrows, callouts, groups of them, SmartArt graphics, form
//! controls and embedded objects.
//!
//! A shape becomes an image, an SVG document that the client displays, and keeps its DrawingML in the
//! document for the next export (decision 0063), a control also its VML and its parts (decision 0065). `edit.rs`
//! makes shapes and changes them (decision 0067).

mod appearance;
mod attributes;
mod control_state;
mod description;
mod diagram;
mod edit;
mod geometry;
mod guides;
mod kept_control;
mod kept_link;
mod kept_shape;
mod likeness;
mod new_shape;
mod outline;
mod paint_edit;
mod picture;
mod placement;
mod presets;
mod svg;
mod text;
mod text_edit;
mod xml_element;

pub(crate) use appearance::{Fill, Line, Paint, color, fill, image, line, solid_color};
pub use attributes::{Crop, Dash, Horizontal, ObjectKind, Rgb, ShapeAttributes, Vertical};
pub(crate) use control_state::ControlState;
pub(crate) use diagram::{DiagramPart, diagram_part, drawing_id, with_drawing_id};
pub use edit::{ShapeError, ShapeImage, ShownImage, change_shape, new_shape, shape_attributes};
pub(crate) use kept_control::{
    ACTIVE_X, INPUT_RANGE, KeptControl, LINKED_CELL, OTHER_REFERENCES, PROPERTIES, client_data,
    control_properties, control_properties_mut, is_embedded, link_kind,
};
pub(crate) use kept_link::{KeptLink, KeptPart};
pub(crate) use kept_shape::KeptShape;
pub(crate) use outline::Geometry;
pub(crate) use picture::is_plain_picture;
pub(crate) use placement::{Area, Placement, children, object_properties, transform};
pub(crate) use text::plain_text;
pub(crate) use xml_element::{NOTHING, XmlElement, XmlNode};

/// English Metric Units (EMU) per CSS pixel: 914,400 per inch.
pub(crate) const UNITS_PER_PIXEL: f64 = 9_525.0;
/// Sixtieth thousandths of a degree, the unit of angles, in a degree.
pub(crate) const DEGREE: f64 = 60_000.0;
/// CSS pixels per point.
const PIXELS_PER_POINT: f64 = 96.0 / 72.0;
