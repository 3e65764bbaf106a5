//! [`Complex`]: parsing, formatting and arithmetic of complex numbers in Excel's notation `3+4i`.
//! The functions are in `complex_functions`.

use quadrille_cell::{ErrorValue, Value};
use quadrille_number_format::general;

use crate::arguments::ValueResult;
use crate::coerce::text;

/// A complex number and the letter of its imaginary unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Complex {
    pub re: f64,
    pub im: f64,
    /// `i` or `j`; `None` for real numbers, which combine with either.
    pub unit: Option<char>,
}

impl Complex {
    /// Creates a number without an imaginary unit.
    pub fn new(re: f64, im: f64) -> Complex {
        Complex { re, im, unit: None }
    }

    /// Reads an argument. Fails with `#NUM!` for invalid text, with `#VALUE!` for Booleans.
    pub fn read(value: &Value) -> Result<Complex, ErrorValue> {
        match value {
            Value::Number(number) => Ok(Complex::new(*number, 0.0)),
            Value::Blank => Ok(Complex::new(0.0, 0.0)),
            Value::Boolean(_) => Err(ErrorValue::Value),
            _ => Complex::parse(&text(value)?).ok_or(ErrorValue::Number),
        }
    }

    fn parse(written: &str) -> Option<Complex> {
        let Some(unit) = written.chars().last().filter(|last| matches!(last, 'i' | 'j')) else {
            return Some(Complex::new(decimal(written)?, 0.0));
        };
        let body = &written[..written.len() - 1];
        // The parts are separated by the last sign that does not belong to an exponent.
        let bytes = body.as_bytes();
        let is_split = |index: &usize| {
            matches!(bytes[*index], b'+' | b'-') && !(*index > 0 && matches!(bytes[*index - 1], b'e' | b'E'))
        };
        let split = (0..bytes.len()).rev().find(is_split).unwrap_or(0);
        let (re, im) = body.split_at(split);
        let im = match im {
            "" | "+" => 1.0,
            "-" => -1.0,
            _ => decimal(im)?,
        };
        let re = if re.is_empty() { 0.0 } else { decimal(re)? };
        Some(Complex { re, im, unit: Some(unit) })
    }

    /// Formats the number as a result. Fails with `#NUM!` when a part is not finite.
    pub fn write(self) -> ValueResult {
        // Adding zero normalizes negative zero.
        let (re, im) = (self.re + 0.0, self.im + 0.0);
        if !re.is_finite() || !im.is_finite() {
            return Err(ErrorValue::Number);
        }
        let unit = self.unit.unwrap_or('i');
        if im == 0.0 {
            return Ok(Value::text(general(re, None)));
        }
        let factor = match im {
            1.0 => String::new(),
            -1.0 => "-".to_owned(),
            _ => general(im, None),
        };
        Ok(Value::text(match (re == 0.0, im < 0.0) {
            (true, _) => format!("{factor}{unit}"),
            (false, true) => format!("{}{factor}{unit}", general(re, None)),
            (false, false) => format!("{}+{factor}{unit}", general(re, None)),
        }))
    }

    /// Returns the imaginary unit of a result. Fails with `#VALUE!` when the units differ.
    pub fn unit_with(self, other: Complex) -> Result<Option<char>, ErrorValue> {
        match (self.unit, other.unit) {
            (Some(a), Some(b)) if a != b => Err(ErrorValue::Value),
            (a, b) => Ok(a.or(b)),
        }
    }

    /// Returns the modulus.
    pub fn abs(self) -> f64 {
        libm::hypot(self.re, self.im)
    }

    /// Returns the argument (angle) in radians.
    pub fn argument(self) -> f64 {
        libm::atan2(self.im, self.re)
    }

    /// Whether both parts are zero.
    pub fn is_zero(self) -> bool {
        self.re == 0.0 && self.im == 0.0
    }

    /// Adds two numbers.
    pub fn plus(self, other: Complex) -> Complex {
        Complex { re: self.re + other.re, im: self.im + other.im, ..self }
    }

    /// Subtracts a number.
    pub fn minus(self, other: Complex) -> Complex {
        Complex { re: self.re - other.re, im: self.im - other.im, ..self }
    }

    /// Multiplies two numbers.
    pub fn times(self, other: Complex) -> Complex {
        let re = self.re * other.re - self.im * other.im;
        Complex { re, im: self.re * other.im + self.im * other.re, ..self }
    }

    /// Divides by Smith's method (*Algorithm 116: Complex division*, 1962), which avoids overflow.
    pub fn over(self, other: Complex) -> Complex {
        let (re, im) = if other.re.abs() >= other.im.abs() {
            let ratio = other.im / other.re;
            let divisor = other.re + other.im * ratio;
            ((self.re + self.im * ratio) / divisor, (self.im - self.re * ratio) / divisor)
        } else {
            let ratio = other.re / other.im;
            let divisor = other.re * ratio + other.im;
            ((self.re * ratio + self.im) / divisor, (self.im * ratio - self.re) / divisor)
        };
        Complex { re, im, ..self }
    }

    /// Returns the reciprocal.
    pub fn inverse(self) -> Complex {
        Complex { re: 1.0, im: 0.0, ..self }.over(self)
    }

    /// Returns e raised to the number.
    pub fn exp(self) -> Complex {
        let size = libm::exp(self.re);
        Complex { re: size * libm::cos(self.im), im: size * libm::sin(self.im), ..self }
    }

    /// Returns the principal natural logarithm.
    pub fn ln(self) -> Complex {
        Complex { re: libm::log(self.abs()), im: self.argument(), ..self }
    }

    /// Multiplies by a real number.
    pub fn scaled(self, factor: f64) -> Complex {
        Complex { re: self.re * factor, im: self.im * factor, ..self }
    }

    /// Returns the principal square root.
    pub fn sqrt(self) -> Complex {
        let (size, angle) = (self.abs().sqrt(), self.argument() / 2.0);
        Complex { re: size * libm::cos(angle), im: size * libm::sin(angle), ..self }
    }

    /// Returns the sine.
    pub fn sin(self) -> Complex {
        let re = libm::sin(self.re) * libm::cosh(self.im);
        Complex { re, im: libm::cos(self.re) * libm::sinh(self.im), ..self }
    }

    /// Returns the cosine.
    pub fn cos(self) -> Complex {
        let re = libm::cos(self.re) * libm::cosh(self.im);
        Complex { re, im: -libm::sin(self.re) * libm::sinh(self.im), ..self }
    }

    /// Returns the hyperbolic sine.
    pub fn sinh(self) -> Complex {
        let re = libm::sinh(self.re) * libm::cos(self.im);
        Complex { re, im: libm::cosh(self.re) * libm::sin(self.im), ..self }
    }

    /// Returns the hyperbolic cosine.
    pub fn cosh(self) -> Complex {
        let re = libm::cosh(self.re) * libm::cos(self.im);
        Complex { re, im: libm::sinh(self.re) * libm::sin(self.im), ..self }
    }

    /// Returns the tangent.
    /// Avoids the quotient of sine and cosine, which overflow far from the real axis.
    pub fn tan(self) -> Complex {
        let divisor = libm::cos(2.0 * self.re) + libm::cosh(2.0 * self.im);
        if !divisor.is_finite() {
            return Complex { re: 0.0, im: 1f64.copysign(self.im), ..self };
        }
        Complex { re: libm::sin(2.0 * self.re) / divisor, im: libm::sinh(2.0 * self.im) / divisor, ..self }
    }
}

/// Parses a plain decimal number, without the other notations of cell input.
fn decimal(written: &str) -> Option<f64> {
    quadrille_cell::parse_number(written).filter(|number| number.is_finite())
}
