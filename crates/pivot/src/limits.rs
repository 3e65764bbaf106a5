//! Limits of pivot tables.

/// Cells of an output, at most; a larger one is `#CALC!`. A quarter of what an array formula may
/// have, since all of it is computed again after an edit.
pub const OUTPUT_CELLS_MAX: u64 = 2_097_152;
