//! [`Decimal`]: a number as 15 significant decimal digits, the precision of Excel, and its
//! rounding.

/// Significant digits that Excel displays.
const DIGITS_MAX: usize = 15;

/// A decimal number `±0.d₁d₂d₃… × 10^exponent` without trailing zeros. Zero has no digits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decimal {
    pub negative: bool,
    /// Digits as values 0 to 9, most significant first.
    pub digits: Vec<u8>,
    /// Number of digits before the decimal point; negative for leading zeros after the point.
    pub exponent: i32,
}

/// Rounding mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// To the nearest number, a half away from zero.
    Nearest,
    AwayFromZero,
    TowardZero,
}

impl Decimal {
    /// Returns the 15 significant digits nearest to a finite number; zero for other numbers.
    pub fn new(number: f64) -> Decimal {
        if number == 0.0 || !number.is_finite() {
            return Decimal { negative: false, digits: Vec::new(), exponent: 0 };
        }
        let written = format!("{:.*e}", DIGITS_MAX - 1, number.abs());
        let (mantissa, exponent) = written.split_once('e').expect("this notation has an exponent");
        let digits = mantissa.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
        let exponent: i32 = exponent.parse().expect("the exponent is an integer");
        Decimal { negative: number < 0.0, digits, exponent: exponent + 1 }.trimmed()
    }

    /// Whether the number is zero.
    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Rounds half away from zero to `places` digits after the decimal point; negative places are
    /// digits before it.
    pub fn round(&self, places: i32) -> Decimal {
        self.round_toward(places, Rounding::Nearest)
    }

    /// Rounds to `places` digits after the decimal point in the given mode.
    pub fn round_toward(&self, places: i32, rounding: Rounding) -> Decimal {
        self.round_to_digits(i64::from(self.exponent) + i64::from(places), rounding)
    }

    /// Rounds half away from zero to `digits` significant digits.
    pub fn round_significant(&self, digits: usize) -> Decimal {
        self.round_to_digits(digits as i64, Rounding::Nearest)
    }

    /// Returns the nearest double.
    pub fn to_f64(&self) -> f64 {
        if self.is_zero() {
            return 0.0;
        }
        let digits: String = self.digits.iter().map(|digit| char::from(b'0' + digit)).collect();
        let sign = if self.negative { "-" } else { "" };
        quadrille_cell::parse_number(&format!("{sign}0.{digits}e{}", self.exponent))
            .expect("digits and an exponent make a number")
    }

    fn round_to_digits(&self, digits: i64, rounding: Rounding) -> Decimal {
        if self.is_zero() || digits >= self.digits.len() as i64 {
            return self.clone();
        }
        let zero = Decimal { negative: self.negative, digits: Vec::new(), exponent: 0 };
        if digits < 0 && rounding != Rounding::AwayFromZero {
            return zero;
        }
        if digits <= 0 && rounding == Rounding::AwayFromZero {
            // One unit of the last place.
            return Decimal { digits: vec![1], exponent: self.exponent - digits as i32 + 1, ..*self };
        }
        let digits = digits as usize;
        let rounds_up = match rounding {
            Rounding::Nearest => self.digits[digits] >= 5,
            Rounding::AwayFromZero => true,
            Rounding::TowardZero => false,
        };
        let mut rounded = Decimal { digits: self.digits[..digits].to_vec(), ..self.clone() };
        if rounds_up {
            match rounded.digits.iter().rposition(|digit| *digit < 9) {
                Some(at) => {
                    rounded.digits[at] += 1;
                    rounded.digits.truncate(at + 1);
                }
                None => {
                    rounded.digits = vec![1];
                    rounded.exponent += 1;
                }
            }
        }
        let rounded = rounded.trimmed();
        if rounded.is_zero() { zero } else { rounded }
    }

    /// Returns the number multiplied by `10^power`.
    pub fn shifted(&self, power: i32) -> Decimal {
        let exponent = if self.is_zero() { 0 } else { self.exponent + power };
        Decimal { exponent, ..self.clone() }
    }

    fn trimmed(mut self) -> Decimal {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        self
    }

    /// Returns the digit at a decimal place: 0 for ones, 1 for tens, -1 for tenths.
    pub fn digit_at(&self, place: i32) -> u8 {
        let index = self.exponent - 1 - place;
        usize::try_from(index).ok().and_then(|index| self.digits.get(index)).copied().unwrap_or(0)
    }

    /// Returns the digits before the decimal point; empty when the magnitude is below one.
    pub fn integer_digits(&self) -> String {
        (0..self.exponent.max(0)).rev().map(|place| char::from(b'0' + self.digit_at(place))).collect()
    }

    /// Returns the digits after the decimal point, without trailing zeros.
    pub fn fraction_digits(&self) -> String {
        let places = (self.digits.len() as i32 - self.exponent).max(0);
        (1..=places).map(|place| char::from(b'0' + self.digit_at(-place))).collect()
    }

    /// Returns the number in plain notation: `-1234.5`.
    pub fn plain(&self) -> String {
        let mut text = String::new();
        if self.negative && !self.is_zero() {
            text.push('-');
        }
        let integer = self.integer_digits();
        text.push_str(if integer.is_empty() { "0" } else { &integer });
        let fraction = self.fraction_digits();
        if !fraction.is_empty() {
            text.push('.');
            text.push_str(&fraction);
        }
        text
    }

    /// Returns the number in scientific notation with at least two exponent digits: `-1.5E+20`.
    pub fn scientific(&self) -> String {
        let mantissa = Decimal { exponent: 1, ..self.clone() }.plain();
        let exponent = self.exponent - 1;
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{mantissa}E{sign}{:02}", exponent.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_uses_decimal_digits_and_rounds_half_away_from_zero() {
        for (number, places, expected) in [
            (2.675, 2, "2.68"),
            (1234.5, 0, "1235"),
            (-0.5, 0, "-1"),
            (0.4999, 0, "0"),
            (999.95, 1, "1000"),
            (1234.0, -2, "1200"),
            (67.0, -2, "100"),
            (4.0, -2, "0"),
            (1e-20, 5, "0"),
        ] {
            assert_eq!(Decimal::new(number).round(places).plain(), expected, "{number} to {places} places");
        }
    }

    #[test]
    fn rounding_away_from_and_toward_zero() {
        for (number, places, up, down) in [
            (3.2, 0, "4", "3"),
            (-3.2, 0, "-4", "-3"),
            (3.0, 0, "3", "3"),
            (0.001, 1, "0.1", "0"),
            (31415.92654, -2, "31500", "31400"),
            (4.0, -2, "100", "0"),
            (400.0, -2, "400", "400"),
            (99.99, 1, "100", "99.9"),
        ] {
            let decimal = Decimal::new(number);
            let rounded = |rounding| decimal.round_toward(places, rounding).plain();
            assert_eq!(rounded(Rounding::AwayFromZero), up, "{number} up to {places}");
            assert_eq!(rounded(Rounding::TowardZero), down, "{number} down to {places}");
        }
    }
}
