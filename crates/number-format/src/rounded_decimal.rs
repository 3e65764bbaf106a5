//! A number as Excel shows it: 15 significant decimal digits.

/// Digits of precision that Excel keeps on screen.
const DIGITS_MAX: usize = 15;

/// `±0.d₁d₂d₃… × 10^exponent`, without trailing zeros; no digits at all is zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decimal {
    pub negative: bool,
    /// Values 0 to 9, not characters.
    pub digits: Vec<u8>,
    /// How many digits stand before the decimal point; may be negative.
    pub exponent: i32,
}

/// Where the digits that are dropped push the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// To the nearest; a half away from zero.
    Nearest,
    AwayFromZero,
    TowardZero,
}

impl Decimal {
    /// The 15 digits nearest to a finite number.
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

    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Rounded half away from zero to so many places after the decimal point (before it when negative).
    pub fn round(&self, places: i32) -> Decimal {
        self.round_toward(places, Rounding::Nearest)
    }

    pub fn round_toward(&self, places: i32, rounding: Rounding) -> Decimal {
        self.keep(i64::from(self.exponent) + i64::from(places), rounding)
    }

    /// Rounded half away from zero to so many significant digits.
    pub fn round_significant(&self, digits: usize) -> Decimal {
        self.keep(digits as i64, Rounding::Nearest)
    }

    /// The nearest double.
    pub fn to_f64(&self) -> f64 {
        if self.is_zero() {
            return 0.0;
        }
        let digits: String = self.digits.iter().map(|digit| char::from(b'0' + digit)).collect();
        let sign = if self.negative { "-" } else { "" };
        quadrille_cell::parse_number(&format!("{sign}0.{digits}e{}", self.exponent))
            .expect("digits and an exponent make a number")
    }

    fn keep(&self, kept: i64, rounding: Rounding) -> Decimal {
        if self.is_zero() || kept >= self.digits.len() as i64 {
            return self.clone();
        }
        let zero = Decimal { negative: self.negative, digits: Vec::new(), exponent: 0 };
        if kept < 0 && rounding != Rounding::AwayFromZero {
            return zero;
        }
        if kept <= 0 && rounding == Rounding::AwayFromZero {
            // One unit of the place rounded to.
            return Decimal { digits: vec![1], exponent: self.exponent - kept as i32 + 1, ..*self };
        }
        let kept = kept as usize;
        let rounds_up = match rounding {
            Rounding::Nearest => self.digits[kept] >= 5,
            Rounding::AwayFromZero => true,
            Rounding::TowardZero => false,
        };
        let mut rounded = Decimal { digits: self.digits[..kept].to_vec(), ..self.clone() };
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

    /// The same number times a power of ten.
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

    /// The digit at a place: 0 for ones, 1 for tens, -1 for tenths.
    pub fn digit_at(&self, place: i32) -> u8 {
        let index = self.exponent - 1 - place;
        usize::try_from(index).ok().and_then(|index| self.digits.get(index)).copied().unwrap_or(0)
    }

    /// Digits before the decimal point, none when the number is below one.
    pub fn integer_digits(&self) -> String {
        (0..self.exponent.max(0)).rev().map(|place| char::from(b'0' + self.digit_at(place))).collect()
    }

    /// Digits after the decimal point, as many as there are.
    pub fn fraction_digits(&self) -> String {
        let places = (self.digits.len() as i32 - self.exponent).max(0);
        (1..=places).map(|place| char::from(b'0' + self.digit_at(-place))).collect()
    }

    /// In plain notation: `-1234.5`.
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

    /// In scientific notation with at least two digits of exponent: `-1.5E+20`.
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
    fn rounding_is_decimal_and_away_from_zero() {
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
    fn rounding_up_and_down() {
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
