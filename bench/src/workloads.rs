//! What is measured, one file each.

pub mod access;
pub mod ethercalc;
pub mod import;
pub mod latency;
pub mod memory;
pub mod size;
pub mod start;
