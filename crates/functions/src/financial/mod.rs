//! Money over time.

pub(crate) mod annuity;
pub(crate) mod cashflow;
pub(crate) mod depreciation;
