//! Icons that conditional formats show in cells.

use std::sync::Arc;

/// An icon of an icon set (ECMA-376 part 1, 18.18.42).
#[derive(Clone, PartialEq, Debug)]
pub struct Icon {
    pub set: Arc<str>,
    /// Number of the icon in its set; 0 is the icon of the lowest values.
    pub index: u32,
}
