//! Engineering functions: numeral systems, bits, units, complex numbers, Bessel functions.

pub(crate) mod bases;
pub(crate) mod bessel;
pub(crate) mod bits;
pub(crate) mod complex;
pub(crate) mod complex_functions;
pub(crate) mod units;
