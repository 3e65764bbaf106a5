//! The functions of complex numbers: COMPLEX, IMSUM, IMPRODUCT etc. Described in ECMA-376 part 1,
//! 18.17.7, Excel's help and OpenFormula 6.8.

use quadrille_cell::{ErrorValue, Value};

use super::complex::Complex;
use crate::arguments::{OperandResult, ValueResult, values_by_row};
use crate::coerce::{number, text};
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::Operand;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar("COMPLEX", "real, imaginary, [unit]", "A complex number from its parts.", complex)
        .examples(&[
            ("=COMPLEX(3,4)", "3+4i"),
            ("=COMPLEX(3,4,\"j\")", "3+4j"),
            ("=COMPLEX(0,1)", "i"),
            ("=COMPLEX(1,0)", "1"),
            ("=COMPLEX(1,1,\"k\")", "#VALUE!"),
        ]),
    Function::scalar("IMREAL", "number", "The real part.", |_, arguments| part(arguments, |z| z.re))
        .examples(&[("=IMREAL(\"6-9i\")", "6"), ("=IMREAL(\"x\")", "#NUM!")]),
    Function::scalar("IMAGINARY", "number", "The imaginary part.", |_, arguments| part(arguments, |z| z.im))
        .examples(&[("=IMAGINARY(\"3+4i\")", "4"), ("=IMAGINARY(\"0-j\")", "-1"), ("=IMAGINARY(4)", "0")]),
    Function::scalar("IMABS", "number", "The distance from zero.", |_, arguments| {
        part(arguments, Complex::abs)
    })
    .examples(&[("=IMABS(\"5+12i\")", "13")]),
    Function::scalar("IMARGUMENT", "number", "The angle, in radians.", |_, arguments| {
        let z = Complex::read(&arguments[0])?;
        if z.is_zero() { Err(ErrorValue::DivideByZero) } else { Ok(Value::number(z.argument())) }
    })
    .examples(&[("=ROUND(IMARGUMENT(\"3+4i\"),8)", "0.92729522"), ("=IMARGUMENT(0)", "#DIV/0!")]),
    Function::scalar("IMCONJUGATE", "number", "The conjugate.", |_, arguments| {
        map(arguments, |z| Complex { im: -z.im, ..z })
    })
    .examples(&[("=IMCONJUGATE(\"3+4i\")", "3-4i")]),
    Function::scalar(
        "IMSUB",
        "number1, number2",
        "The difference of two complex numbers.",
        |_, arguments| {
            let (a, b) = pair(arguments)?;
            a.minus(b).write()
        },
    )
    .examples(&[("=IMSUB(\"13+4i\",\"5+3i\")", "8+i"), ("=IMSUB(\"i\",\"j\")", "#VALUE!")]),
    Function::scalar("IMDIV", "number1, number2", "The quotient of two complex numbers.", |_, arguments| {
        let (a, b) = pair(arguments)?;
        if b.is_zero() { Err(ErrorValue::Number) } else { a.over(b).write() }
    })
    .examples(&[("=IMDIV(\"-238+240i\",\"10+24i\")", "5+12i"), ("=IMDIV(1,0)", "#NUM!")]),
    Function::whole(
        "IMSUM",
        "number1, [number2], …",
        "The sum of complex numbers.",
        |context, arguments| fold(context, arguments, Complex::new(0.0, 0.0), Complex::plus),
    )
    .examples(&[("=IMSUM(\"3+4i\",\"5-3i\")", "8+i")]),
    Function::whole(
        "IMPRODUCT",
        "number1, [number2], …",
        "The product of complex numbers.",
        |context, arguments| fold(context, arguments, Complex::new(1.0, 0.0), Complex::times),
    )
    .examples(&[("=IMPRODUCT(\"3+4i\",\"5-3i\")", "27+11i"), ("=IMPRODUCT(\"1+2i\",30)", "30+60i")]),
    Function::scalar("IMPOWER", "number, power", "A complex number raised to a power.", power)
        .examples(&[("=ROUND(IMAGINARY(IMPOWER(\"2+3i\",3)),9)", "9"), ("=IMPOWER(0,-1)", "#NUM!")]),
    Function::scalar("IMSQRT", "number", "The square root.", |_, arguments| map(arguments, Complex::sqrt))
        .examples(&[("=ROUND(IMREAL(IMSQRT(\"1+i\")),8)", "1.09868411")]),
    Function::scalar("IMEXP", "number", "e raised to a complex power.", |_, arguments| {
        map(arguments, Complex::exp)
    })
    .examples(&[("=ROUND(IMAGINARY(IMEXP(\"1+i\")),8)", "2.28735529")]),
    Function::scalar("IMLN", "number", "The natural logarithm.", |_, arguments| logarithm(arguments, 1.0))
        .examples(&[("=ROUND(IMREAL(IMLN(\"3+4i\")),8)", "1.60943791"), ("=IMLN(0)", "#NUM!")]),
    Function::scalar("IMLOG10", "number", "The logarithm to base 10.", |_, arguments| {
        logarithm(arguments, std::f64::consts::LN_10)
    })
    .examples(&[("=ROUND(IMREAL(IMLOG10(\"3+4i\")),8)", "0.69897")]),
    Function::scalar("IMLOG2", "number", "The logarithm to base 2.", |_, arguments| {
        logarithm(arguments, std::f64::consts::LN_2)
    })
    .examples(&[("=ROUND(IMREAL(IMLOG2(\"3+4i\")),8)", "2.32192809")]),
    Function::scalar("IMSIN", "number", "The sine of a complex number.", |_, arguments| {
        map(arguments, Complex::sin)
    })
    .examples(&[("=ROUND(IMREAL(IMSIN(\"4+3i\")),8)", "-7.61923172")]),
    Function::scalar("IMCOS", "number", "The cosine of a complex number.", |_, arguments| {
        map(arguments, Complex::cos)
    })
    .examples(&[("=ROUND(IMREAL(IMCOS(\"1+i\")),8)", "0.83373003")]),
    Function::scalar("IMTAN", "number", "The tangent of a complex number.", |_, arguments| {
        map(arguments, Complex::tan)
    })
    .examples(&[("=ROUND(IMREAL(IMTAN(\"4+3i\")),8)", "0.00490826")]),
    Function::scalar("IMSINH", "number", "The hyperbolic sine.", |_, arguments| {
        map(arguments, Complex::sinh)
    })
    .examples(&[("=ROUND(IMREAL(IMSINH(\"4+3i\")),8)", "-27.01681326")]),
    Function::scalar("IMCOSH", "number", "The hyperbolic cosine.", |_, arguments| {
        map(arguments, Complex::cosh)
    })
    .examples(&[("=ROUND(IMREAL(IMCOSH(\"4+3i\")),8)", "-27.0349456")]),
    Function::scalar("IMSEC", "number", "One over the cosine.", |_, arguments| {
        reciprocal(arguments, Complex::cos)
    })
    .examples(&[("=ROUND(IMREAL(IMSEC(\"4+3i\")),8)", "-0.06529403")]),
    Function::scalar("IMCSC", "number", "One over the sine.", |_, arguments| {
        reciprocal(arguments, Complex::sin)
    })
    .examples(&[("=ROUND(IMREAL(IMCSC(\"4+3i\")),8)", "-0.07548983"), ("=IMCSC(0)", "#NUM!")]),
    Function::scalar("IMCOT", "number", "One over the tangent.", |_, arguments| {
        reciprocal(arguments, Complex::tan)
    })
    .examples(&[("=ROUND(IMREAL(IMCOT(\"4+3i\")),8)", "0.00490118")]),
    Function::scalar("IMSECH", "number", "One over the hyperbolic cosine.", |_, arguments| {
        reciprocal(arguments, Complex::cosh)
    })
    .examples(&[("=ROUND(IMREAL(IMSECH(\"4+3i\")),8)", "-0.0362535")]),
    Function::scalar("IMCSCH", "number", "One over the hyperbolic sine.", |_, arguments| {
        reciprocal(arguments, Complex::sinh)
    })
    .examples(&[("=ROUND(IMREAL(IMCSCH(\"4+3i\")),8)", "-0.03627589")]),
];

fn complex(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let unit = match arguments.get(2) {
        None | Some(Value::Blank) => 'i',
        Some(unit) => match &*text(unit)? {
            "" | "i" => 'i',
            "j" => 'j',
            _ => return Err(ErrorValue::Value),
        },
    };
    Complex { re: number(&arguments[0])?, im: number(&arguments[1])?, unit: Some(unit) }.write()
}

fn part(arguments: &[Value], part: fn(Complex) -> f64) -> ValueResult {
    Ok(Value::number(part(Complex::read(&arguments[0])?)))
}

fn map(arguments: &[Value], function: fn(Complex) -> Complex) -> ValueResult {
    function(Complex::read(&arguments[0])?).write()
}

fn reciprocal(arguments: &[Value], function: fn(Complex) -> Complex) -> ValueResult {
    let divisor = function(Complex::read(&arguments[0])?);
    if divisor.is_zero() { Err(ErrorValue::Number) } else { divisor.inverse().write() }
}

/// Reads two numbers and gives both the imaginary unit of the result.
fn pair(arguments: &[Value]) -> Result<(Complex, Complex), ErrorValue> {
    let (a, b) = (Complex::read(&arguments[0])?, Complex::read(&arguments[1])?);
    let unit = a.unit_with(b)?;
    Ok((Complex { unit, ..a }, Complex { unit, ..b }))
}

fn fold(
    context: &mut CallContext,
    arguments: &[Operand],
    start: Complex,
    combine: fn(Complex, Complex) -> Complex,
) -> OperandResult {
    let mut result = start;
    for argument in arguments {
        for value in values_by_row(context, argument)? {
            if value.is_blank() {
                continue;
            }
            let next = Complex::read(&value)?;
            let unit = result.unit_with(next)?;
            result = Complex { unit, ..combine(result, next) };
        }
    }
    result.write().map(Operand::Value)
}

fn power(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let base = Complex::read(&arguments[0])?;
    let exponent = number(&arguments[1])?;
    if base.is_zero() {
        return if exponent > 0.0 { base.write() } else { Err(ErrorValue::Number) };
    }
    let (size, angle) = (libm::pow(base.abs(), exponent), base.argument() * exponent);
    Complex { re: size * libm::cos(angle), im: size * libm::sin(angle), ..base }.write()
}

fn logarithm(arguments: &[Value], of_base: f64) -> ValueResult {
    let z = Complex::read(&arguments[0])?;
    if z.is_zero() { Err(ErrorValue::Number) } else { z.ln().scaled(1.0 / of_base).write() }
}
