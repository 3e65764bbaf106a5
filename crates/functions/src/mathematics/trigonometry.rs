//! Trigonometric and hyperbolic functions; angles are in radians. Described in ECMA-376 part 1,
//! 18.17.7, and Excel's help. Values are those of `libm`, which are the same on all platforms.

use std::f64::consts::PI;

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::ValueResult;
use crate::coerce::number;
use crate::context::CallContext;
use crate::function::Function;

/// Declares a function of one number. Outside its domain it returns NaN, which becomes `#NUM!`.
macro_rules! plain {
    ($name:literal, $summary:literal, $function:expr, $($example:expr),+) => {{
        fn plain(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
            let function: fn(f64) -> f64 = $function;
            Ok(Value::number(function(number(&arguments[0])?)))
        }
        Function::scalar($name, "number", $summary, plain).examples(&[$($example),+])
    }};
}

/// Declares the reciprocal of a function, with `#DIV/0!` at its zeros.
macro_rules! reciprocal {
    ($name:literal, $summary:literal, $function:expr, $($example:expr),+) => {{
        fn reciprocal(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
            let function: fn(f64) -> f64 = $function;
            match function(number(&arguments[0])?) {
                0.0 => Err(ErrorValue::DivideByZero),
                divisor => Ok(Value::number(1.0 / divisor)),
            }
        }
        Function::scalar($name, "number", $summary, reciprocal).examples(&[$($example),+])
    }};
}

pub(crate) const FUNCTIONS: &[Function] = &[
    plain!("SIN", "The sine of an angle.", libm::sin, ("=SIN(0)", "0"), ("=ROUND(SIN(PI()/2),10)", "1")),
    plain!("COS", "The cosine of an angle.", libm::cos, ("=COS(0)", "1")),
    plain!("TAN", "The tangent of an angle.", libm::tan, ("=ROUND(TAN(PI()/4),10)", "1")),
    plain!(
        "ASIN",
        "The angle with this sine.",
        libm::asin,
        ("=ASIN(2)", "#NUM!"),
        ("=ROUND(ASIN(1),6)", "1.570796")
    ),
    plain!("ACOS", "The angle with this cosine.", libm::acos, ("=ACOS(1)", "0")),
    plain!("ATAN", "The angle with this tangent.", libm::atan, ("=ROUND(ATAN(1),6)", "0.785398")),
    plain!("SINH", "The hyperbolic sine.", libm::sinh, ("=SINH(0)", "0")),
    plain!("COSH", "The hyperbolic cosine.", libm::cosh, ("=COSH(0)", "1")),
    plain!("TANH", "The hyperbolic tangent.", libm::tanh, ("=TANH(0)", "0")),
    plain!("ASINH", "The inverse hyperbolic sine.", libm::asinh, ("=ASINH(0)", "0")),
    plain!(
        "ACOSH",
        "The inverse hyperbolic cosine.",
        libm::acosh,
        ("=ACOSH(1)", "0"),
        ("=ACOSH(0)", "#NUM!")
    ),
    plain!(
        "ATANH",
        "The inverse hyperbolic tangent.",
        libm::atanh,
        ("=ATANH(0)", "0"),
        ("=ATANH(1)", "#NUM!")
    ),
    plain!("DEGREES", "An angle in degrees.", |angle| angle / PI * 180.0, ("=DEGREES(PI())", "180")),
    plain!(
        "RADIANS",
        "An angle given in degrees.",
        |angle| angle / 180.0 * PI,
        ("=ROUND(RADIANS(270),6)", "4.712389")
    ),
    plain!(
        "ACOT",
        "The angle with this cotangent.",
        |x| PI / 2.0 - libm::atan(x),
        ("=ROUND(ACOT(2),4)", "0.4636")
    ),
    reciprocal!("COT", "The cotangent of an angle.", libm::tan, ("=COT(0)", "#DIV/0!")),
    reciprocal!("SEC", "The secant of an angle.", libm::cos, ("=SEC(0)", "1")),
    reciprocal!("CSC", "The cosecant of an angle.", libm::sin, ("=CSC(0)", "#DIV/0!")),
    reciprocal!("SECH", "The hyperbolic secant.", libm::cosh, ("=SECH(0)", "1")),
    reciprocal!("CSCH", "The hyperbolic cosecant.", libm::sinh, ("=CSCH(0)", "#DIV/0!")),
    reciprocal!("COTH", "The hyperbolic cotangent.", libm::tanh, ("=COTH(0)", "#DIV/0!")),
    Function::scalar("ATAN2", "x, y", "The angle from the x axis to a point.", atan2)
        .examples(&[("=ROUND(ATAN2(1,1),6)", "0.785398"), ("=ATAN2(0,0)", "#DIV/0!")]),
];

fn atan2(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (x, y) = (number(&arguments[0])?, number(&arguments[1])?);
    if x == 0.0 && y == 0.0 {
        return Err(ErrorValue::DivideByZero);
    }
    Ok(Value::number(libm::atan2(y, x)))
}
