//! The graph of imports between source files.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Each file with the files whose definitions it uses.
pub type Imports = BTreeMap<PathBuf, Vec<PathBuf>>;
