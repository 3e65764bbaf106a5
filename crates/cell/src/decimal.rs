//! Decimal text → the nearest number.

/// The number that is nearest to a decimal number, to the even one of two that are equally near: the same bits that
/// [`str::parse`] gives, but for the words for infinities and NaN. `None` when the text is no number; infinite when it is too large.
///
/// In the browser's engine by long division: the tables of the standard library's reader would be 2 % of the download.
pub fn parse_number(text: &str) -> Option<f64> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    if !is_number {
        None
    } else if cfg!(target_arch = "wasm32") {
        parse_by_division(text)
    } else {
        text.parse().ok()
    }
}

fn parse_by_division(text: &str) -> Option<f64> {
    let (is_negative, text) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let behind = text.iter().position(|byte| matches!(byte, b'e' | b'E'));
    let (mantissa, exponent) = match behind {
        None => (text, 0),
        Some(at) => (&text[..at], read_exponent(&text[at + 1..])?),
    };
    let decimal = Decimal::read(mantissa, exponent)?;
    let number = decimal.nearest();
    Some(if is_negative { -number } else { number })
}

/// Beyond a million, more does not matter.
fn read_exponent(text: &[u8]) -> Option<i64> {
    let (sign, digits) = match text {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        rest => (1, rest),
    };
    if digits.is_empty() {
        return None;
    }
    let mut exponent = 0i64;
    for digit in digits {
        exponent = (exponent * 10 + i64::from(value_of(*digit)?)).min(1_000_000);
    }
    Some(sign * exponent)
}

fn value_of(digit: u8) -> Option<u8> {
    digit.is_ascii_digit().then(|| digit - b'0')
}

/// `digits` × 10^`exponent`; without leading zeros.
struct Decimal {
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    /// No two numbers and nothing half way between them differ behind so many digits; a last 1 stands for all beyond.
    const DIGITS_MAX: usize = 800;

    fn read(mantissa: &[u8], exponent: i64) -> Option<Decimal> {
        let mut decimal = Decimal { digits: Vec::new(), exponent };
        let (mut has_digits, mut is_fraction, mut has_more) = (false, false, false);
        for byte in mantissa {
            if *byte == b'.' && !is_fraction {
                is_fraction = true;
                continue;
            }
            let digit = value_of(*byte)?;
            has_digits = true;
            let is_kept = decimal.digits.len() < Decimal::DIGITS_MAX;
            decimal.exponent += i64::from(!is_kept) - i64::from(is_fraction);
            if !is_kept {
                has_more |= digit != 0;
            } else if digit != 0 || !decimal.digits.is_empty() {
                decimal.digits.push(digit);
            }
        }
        if has_more {
            decimal.digits.push(1);
            decimal.exponent -= 1;
        }
        while decimal.digits.last() == Some(&0) {
            decimal.digits.pop();
            decimal.exponent += 1;
        }
        has_digits.then_some(decimal)
    }

    fn nearest(&self) -> f64 {
        // As many fit into 64 bits, and into 128 with a power of ten as large.
        const SHORT: usize = 19;
        let magnitude = self.digits.len() as i64 + self.exponent;
        if self.digits.is_empty() || magnitude < -330 {
            return 0.0;
        }
        if magnitude > 310 {
            return f64::INFINITY;
        }
        let exponent = self.exponent as i32; // between -1,200 and 310, by what was just asked
        if self.digits.len() > SHORT || exponent.unsigned_abs() as usize > SHORT {
            return self.nearest_by_big_numbers(exponent);
        }
        let whole = self.digits.iter().fold(0u128, |whole, digit| whole * 10 + u128::from(*digit));
        let power = 10u128.pow(exponent.unsigned_abs());
        if exponent >= 0 {
            return rounded(whole * power, false, 0);
        }
        // As many bits in front as there is room for.
        let shift = whole.leading_zeros() - 1;
        let dividend = whole << shift;
        rounded(dividend / power, dividend % power != 0, shift as i32)
    }

    fn nearest_by_big_numbers(&self, exponent: i32) -> f64 {
        /// Bits of the quotient, or one less: more than a number and what rounds it need.
        const BITS: i32 = 65;
        let (mut dividend, mut divisor) = (Big::default(), Big(vec![1]));
        for digit in &self.digits {
            dividend.multiply_and_add(10, u32::from(*digit));
        }
        let power = if exponent >= 0 { &mut dividend } else { &mut divisor };
        for _ in 0..exponent.unsigned_abs() {
            power.multiply_and_add(10, 0);
        }
        let shift = BITS - 1 - (dividend.bits() - divisor.bits());
        if shift >= 0 {
            dividend.shift_left(shift.unsigned_abs());
        } else {
            divisor.shift_left(shift.unsigned_abs());
        }
        // Division as on paper, in binary.
        divisor.shift_left(BITS.unsigned_abs() - 1);
        let mut quotient = 0u128;
        for _ in 0..BITS {
            quotient <<= 1;
            if dividend.subtract_if_not_less(&divisor) {
                quotient |= 1;
            }
            divisor.halve();
        }
        rounded(quotient, !dividend.is_zero(), shift)
    }
}

/// The number nearest to (`quotient` and, when `has_more`, a little) ÷ 2^`shift`. With more, the quotient has 55 bits at least.
fn rounded(quotient: u128, has_more: bool, shift: i32) -> f64 {
    let bits = 128 - quotient.leading_zeros() as i32;
    // Numbers near zero have fewer bits: none stands for less than 2^-1074.
    let kept = (bits - shift + 1074).min(53);
    let dropped = bits - kept;
    if dropped <= 0 {
        return quotient as f64 * power_of_two(-shift);
    }
    if kept < 0 {
        return 0.0;
    }
    let (mantissa, rest) = match dropped {
        128.. => (0, quotient),
        _ => (quotient >> dropped, quotient & ((1 << dropped) - 1)),
    };
    let half = 1u128 << (dropped - 1);
    let is_up = rest > half || rest == half && (has_more || mantissa & 1 == 1);
    (mantissa + u128::from(is_up)) as f64 * power_of_two(dropped - shift)
}

/// Of an exponent that a number can have; infinite when it is larger.
fn power_of_two(exponent: i32) -> f64 {
    match exponent {
        1024.. => f64::INFINITY,
        -1022.. => f64::from_bits(((exponent + 1023) as u64) << 52),
        _ => f64::from_bits(1u64 << (exponent + 1074).max(0)),
    }
}

/// A whole number in words of 32 bits, the lowest first, without zeros at the end.
#[derive(Default)]
struct Big(Vec<u32>);

impl Big {
    fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    fn bits(&self) -> i32 {
        let last = self.0.last().map_or(0, |last| 32 - last.leading_zeros());
        (self.0.len() as i32 - 1) * 32 + last as i32
    }

    fn multiply_and_add(&mut self, factor: u32, addend: u32) {
        let mut carry = u64::from(addend);
        for word in &mut self.0 {
            carry += u64::from(*word) * u64::from(factor);
            *word = carry as u32; // the lower half
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn shift_left(&mut self, bits: u32) {
        for _ in 0..bits % 32 {
            self.multiply_and_add(2, 0);
        }
        self.0.splice(0..0, std::iter::repeat_n(0, (bits / 32) as usize));
    }

    fn halve(&mut self) {
        let mut above = 0;
        for word in self.0.iter_mut().rev() {
            let lowest = *word & 1;
            *word = *word >> 1 | above << 31;
            above = lowest;
        }
        self.trim();
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    fn is_less_than(&self, other: &Big) -> bool {
        let (ours, theirs) = (self.0.iter().rev(), other.0.iter().rev());
        (self.0.len(), ours.cmp(theirs)) < (other.0.len(), std::cmp::Ordering::Equal)
    }

    /// Whether it was subtracted.
    fn subtract_if_not_less(&mut self, other: &Big) -> bool {
        if self.is_less_than(other) {
            return false;
        }
        let mut borrow = false;
        for (index, word) in self.0.iter_mut().enumerate() {
            let (less, first) = word.overflowing_sub(other.0.get(index).copied().unwrap_or(0));
            let (less, second) = less.overflowing_sub(u32::from(borrow));
            *word = less;
            borrow = first | second;
        }
        self.trim();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) {
        let expected: Option<u64> = text.parse().ok().map(f64::to_bits);
        assert_eq!(parse_by_division(text).map(f64::to_bits), expected, "{text}");
    }

    #[test]
    fn it_reads_what_the_standard_library_reads() {
        let texts = [
            "0",
            "-0",
            "1",
            "+1.5",
            ".5",
            "5.",
            "0.1",
            "0.3",
            "123456789012345678",
            "1e22",
            "1e23",
            "9007199254740993",
            "9007199254740992.5",
            "9007199254740993.0000000000000000000000001",
            "1.7976931348623157e308",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "1e309",
            "1e999999999999",
            "-1e-999999999999",
            "4.9e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "2.2250738585072014e-308",
            "2.2250738585072011e-308",
            "2.225073858507201136057409796709131975934819546351645648023426109724822222021076945516529523908135087914149158913039621106870086438694594645527657207407820621743379988141063267329253552286881372149012981122451451889849057222307285255133155755015914397476397983411801999323962548289017107081850690630666655994938275772572015763062690663332647565300009245888316433037779791869612049497390377829704905051080609940730262937128958950003583799967207254304360284078895771796150945516748243471030702609144621572289880258182545180325707018860872113128079512233426288368622321503775666622503982534335974568884423900265498198385487948292206894721689831099698365846814022854243330660339850886445804001034933970427567186443383770486037861622771738545623065874679014086723327636718751234567890123456789012345678901e-308",
            "0000000000000000000000000001.000000000000000000000000000000000",
            "8.41474715e-5",
            "3.14159265358979323846264338327950288",
            "",
            ".",
            "-",
            "e5",
            "1e",
            "1e+",
            "1.2.3",
            "--1",
            "1-",
            "1e5.5",
            "+",
            "1 ",
        ];
        for text in texts {
            check(text);
        }
    }

    #[test]
    fn it_rounds_as_the_standard_library_does() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ state >> 29
        };
        for _ in 0..60_000 {
            let number = f64::from_bits(next() & (i64::MAX as u64));
            if number.is_finite() {
                check(&format!("{number:?}"));
                check(&format!("{number:.16e}"));
                // Half way to the next number, and a little to either side.
                let bits = number.to_bits();
                let other = f64::from_bits(bits + 1);
                if other.is_finite() && (1e-30..1e30).contains(&number) {
                    let exact = |number: f64| format!("{number:.160}");
                    check(&exact(number));
                    check(&exact(number / 2.0 + other / 2.0));
                }
            }
            check(&format!("{}.{:019}e{}", next() % 100_000_000, next() >> 2, (next() % 700) as i64 - 350));
            check(&format!("{}e{}", next(), (next() % 60) as i64 - 30));
            // Whole numbers between two that there are.
            check(&format!("{}", u128::from(next() | 1 << 63) << (next() % 60) | 1));
        }
    }
}
