//! Statistics.

pub(crate) mod aggregates;
pub(crate) mod averages;
pub(crate) mod conditional;
pub(crate) mod correlation;
pub(crate) mod counting;
pub(crate) mod database;
pub(crate) mod discrete;
pub(crate) mod dispersion;
pub(crate) mod gamma;
pub(crate) mod hypotheses;
pub(crate) mod moments;
pub(crate) mod normal;
pub(crate) mod order;
pub(crate) mod probability;
pub(crate) mod regression;
pub(crate) mod smoothing;
pub(crate) mod student_t;
pub(crate) mod subtotal;
