//! Statistics.

use crate::registry::Function;

pub(crate) const FUNCTIONS: &[Function] = &[];
