//! Mathematical functions.

pub(crate) mod arithmetic;
pub(crate) mod integers;
pub(crate) mod matrix;
pub(crate) mod random;
pub(crate) mod rounding;
pub(crate) mod series;
pub(crate) mod special;
pub(crate) mod summation;
pub(crate) mod trigonometry;

pub use arithmetic::power;
