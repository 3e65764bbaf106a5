//! Statistics.

pub(crate) mod averages;
pub(crate) mod conditional;
pub(crate) mod counting;
pub(crate) mod order;
pub(crate) mod pairs;
pub(crate) mod spread;
pub(crate) mod subtotal;
