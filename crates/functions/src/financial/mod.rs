//! Financial functions.

pub(crate) mod annuity;
pub(crate) mod bonds;
pub(crate) mod cashflow;
pub(crate) mod coupons;
pub(crate) mod depreciation;
pub(crate) mod discount;
pub(crate) mod euro;
pub(crate) mod odd_bonds;
pub(crate) mod variable_depreciation;
