//! Frames, operation and snapshot bytes: the only crate that knows bytes.
