//! Nothing: the manifest names packages whose files are read.
