//! Sections that format fractions: `# ?/?`, `# ??/??`, `?/8`.

use super::literal::{Piece, pieces_of};
use super::number::fill_integer;

use super::tokens::Token;

#[derive(Clone, Debug)]
pub(super) struct FractionLayout {
    /// The integer part and the literals before the numerator; `None` for improper fractions.
    whole: Option<Vec<Piece>>,
    numerator: Vec<Piece>,
    denominator: Denominator,
    after: Vec<Piece>,
}

#[derive(Clone, Debug)]
enum Denominator {
    /// The best denominator with at most as many digits as placeholders.
    Best {
        placeholders: String,
    },
    Fixed(u32),
}

/// Upper bound for the digits of a denominator.
const DENOMINATOR_DIGITS_MAX: usize = 4;

impl FractionLayout {
    /// Parses the tokens of a section with `/`. Returns `None` when they are not a fraction.
    pub fn parse(tokens: Vec<Token>) -> Option<FractionLayout> {
        let slash = tokens.iter().position(|token| *token == Token::Slash)?;
        let is_digit = |token: &Token| matches!(token, Token::Digit(_));
        let numerator_start =
            tokens[..slash].iter().rposition(|token| !is_digit(token)).map_or(0, |index| index + 1);
        let (before, after) = (&tokens[..numerator_start], &tokens[slash + 1..]);
        if numerator_start == slash
            || tokens.iter().any(|token| matches!(token, Token::Point | Token::Percent))
        {
            return None;
        }
        let (denominator, length) = Denominator::parse(after)?;
        Some(FractionLayout {
            whole: before.iter().any(is_digit).then(|| pieces_of(before)),
            numerator: match before.iter().any(is_digit) {
                true => pieces_of(&tokens[numerator_start..slash]),
                false => pieces_of(&tokens[..slash]),
            },
            denominator,
            after: pieces_of(&after[length..]),
        })
    }
}

impl Denominator {
    /// Parses the denominator; returns it with the number of tokens it consumes.
    fn parse(tokens: &[Token]) -> Option<(Denominator, usize)> {
        // `1` to `9` are literals in other sections; here they start a fixed denominator.
        let digit = |token: &Token| match token {
            Token::Literal(text) => text.parse::<u32>().ok().filter(|digit| text.len() == 1 && *digit > 0),
            _ => None,
        };
        if tokens.first().is_some_and(|token| digit(token).is_some()) {
            let mut number = 0u32;
            let mut length = 0;
            for token in tokens {
                let next = if *token == Token::Digit('0') { Some(0) } else { digit(token) };
                let Some(next) = next else { break };
                number = number.checked_mul(10)?.checked_add(next)?;
                length += 1;
            }
            return Some((Denominator::Fixed(number), length));
        }
        let placeholders: String = tokens
            .iter()
            .map_while(|token| if let Token::Digit(digit) = token { Some(*digit) } else { None })
            .collect();
        let length = placeholders.len();
        (length > 0).then_some((Denominator::Best { placeholders }, length))
    }
}

/// Formats a nonnegative number.
pub(super) fn format(layout: &FractionLayout, magnitude: f64) -> String {
    let mut whole = if layout.whole.is_some() { magnitude.floor() } else { 0.0 };
    let rest = magnitude - whole;
    let (mut numerator, denominator) = match &layout.denominator {
        Denominator::Fixed(denominator) => ((rest * f64::from(*denominator)).round(), *denominator),
        Denominator::Best { placeholders } => best_fraction(rest, placeholders.len()),
    };
    if layout.whole.is_some() && numerator == f64::from(denominator) {
        (whole, numerator) = (whole + 1.0, 0.0);
    }
    let digits = |number: f64| if number == 0.0 { String::new() } else { format!("{number:.0}") };
    let mut text = String::new();
    let is_integer = layout.whole.is_some() && numerator == 0.0;
    if let Some(pieces) = &layout.whole {
        let whole_digits = if is_integer && whole == 0.0 { "0".to_owned() } else { digits(whole) };
        text.push_str(&fill_integer(pieces, &whole_digits, None));
    }
    let numerator_digits = if numerator == 0.0 { "0".to_owned() } else { digits(numerator) };
    let mut fraction = fill_integer(&layout.numerator, &numerator_digits, None);
    fraction.push('/');
    fraction.push_str(&fill_denominator(&layout.denominator, denominator));
    if is_integer && !layout.numerator.contains(&Piece::Digit('0')) {
        text.extend(fraction.chars().map(|_| ' '));
    } else {
        text.push_str(&fraction);
    }
    text.push_str(&fill_integer(&layout.after, "", None));
    text
}

/// Left-aligns the denominator in its placeholders, padding with spaces, or zero-pads it.
fn fill_denominator(layout: &Denominator, denominator: u32) -> String {
    match layout {
        Denominator::Fixed(number) => number.to_string(),
        Denominator::Best { placeholders } => {
            let digits = denominator.to_string();
            if placeholders.starts_with('0') {
                return format!("{digits:0>width$}", width = placeholders.len());
            }
            let blanks = placeholders.chars().skip(digits.len()).filter(|placeholder| *placeholder != '#');
            digits.clone() + &blanks.map(|_| ' ').collect::<String>()
        }
    }
}

/// Returns the last convergent of the continued fraction whose denominator has at most `digits`
/// digits. Excel does the same: 3.14159 is 3 1/7 although 3 14/99 is closer.
fn best_fraction(number: f64, digits: usize) -> (f64, u32) {
    /// A smaller remainder ends the continued fraction.
    const REST_MIN: f64 = 5e-8;
    let denominator_max = f64::from(10u32.pow(digits.min(DENOMINATOR_DIGITS_MAX) as u32) - 1);
    let (mut numerator, mut denominator) = (1.0, 0.0);
    let (mut numerator_before, mut denominator_before) = (0.0, 1.0);
    let mut rest = number;
    loop {
        let whole = rest.floor();
        let next = (whole * numerator + numerator_before, whole * denominator + denominator_before);
        if next.1 > denominator_max {
            break;
        }
        (numerator_before, denominator_before) = (numerator, denominator);
        (numerator, denominator) = next;
        if rest - whole < REST_MIN {
            break;
        }
        rest = 1.0 / (rest - whole);
    }
    (numerator, denominator as u32)
}
