//! EUROCONVERT: conversion between the euro and the currencies it replaced, at the irrevocable
//! rates of the Council of the European Union. Described in Excel's help.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{ValueResult, boolean_or, integer_or};
use crate::coerce::{number, text};
use crate::context::CallContext;
use crate::function::Function;

pub(crate) const FUNCTIONS: &[Function] = &[Function::scalar(
    "EUROCONVERT",
    "number, from, to, [full_precision], [triangulation_precision]",
    "An amount in another currency of the euro area, by their ISO codes.",
    convert,
)
.excel_only()
.examples(&[
    ("=EUROCONVERT(1.2,\"DEM\",\"EUR\")", "0.61"),
    ("=EUROCONVERT(1,\"FRF\",\"EUR\",TRUE,3)", "0.152"),
    ("=ROUND(EUROCONVERT(1,\"FRF\",\"DEM\",TRUE,3),3)", "0.297"),
    ("=EUROCONVERT(1,\"FRF\",\"DEM\",FALSE,3)", "0.3"),
    ("=EUROCONVERT(1,\"USD\",\"EUR\")", "#VALUE!"),
])];

/// ISO 4217 code, units per euro, and decimals of an amount.
const CURRENCIES: [(&str, f64, i32); 20] = [
    ("EUR", 1.0, 2),
    ("ATS", 13.7603, 2),
    ("BEF", 40.3399, 0),
    ("CYP", 0.585274, 2),
    ("DEM", 1.95583, 2),
    ("EEK", 15.6466, 2),
    ("ESP", 166.386, 0),
    ("FIM", 5.94573, 2),
    ("FRF", 6.55957, 2),
    ("GRD", 340.75, 0),
    ("IEP", 0.787564, 2),
    ("ITL", 1936.27, 0),
    ("LTL", 3.4528, 2),
    ("LUF", 40.3399, 0),
    ("LVL", 0.702804, 2),
    ("MTL", 0.4293, 2),
    ("NLG", 2.20371, 2),
    ("PTE", 200.482, 0),
    ("SIT", 239.64, 2),
    ("SKK", 30.126, 2),
];

fn currency(value: &Value) -> Result<(f64, i32), ErrorValue> {
    let code = text(value)?;
    let found = CURRENCIES.iter().find(|(other, ..)| other.eq_ignore_ascii_case(&code));
    found.map(|(_, rate, decimals)| (*rate, *decimals)).ok_or(ErrorValue::Value)
}

fn rounded(number: f64, decimals: i32) -> f64 {
    let power = libm::pow(10.0, f64::from(decimals));
    (number * power).round() / power
}

fn convert(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let amount = number(&arguments[0])?;
    let ((from_rate, _), (to_rate, decimals)) = (currency(&arguments[1])?, currency(&arguments[2])?);
    let is_full = boolean_or(arguments, 3, false)?;
    let mut euros = amount / from_rate;
    if arguments.get(4).is_some_and(|precision| !precision.is_blank()) {
        let precision = integer_or(arguments, 4, 0)?;
        if !(3..=15).contains(&precision) {
            return Err(ErrorValue::Value);
        }
        euros = rounded(euros, precision as i32);
    }
    if from_rate == to_rate {
        return Ok(Value::number(amount));
    }
    let converted = euros * to_rate;
    Ok(Value::number(if is_full { converted } else { rounded(converted, decimals) }))
}
