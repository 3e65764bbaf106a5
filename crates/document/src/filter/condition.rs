//! Conditions of a filter column: comparisons with a typed value, ranks and averages.

use quadrille_cell::{DateSystem, Value};
use quadrille_number_format::{InputContext, parse_input_with};
use quadrille_workbook::{Field, Item};

/// A comparison with a typed operand.
pub(super) struct Condition {
    operator: String,
    number: Option<f64>,
    /// In lower case, since texts compare without regard to case.
    text: String,
}

impl Condition {
    /// Parses the operand in the invariant locale.
    pub fn new(operator: &str, typed: &str, dates: DateSystem) -> Condition {
        let number = match parse_input_with(typed, InputContext::invariant(dates)).value {
            Value::Number(number) => Some(number),
            _ => None,
        };
        Condition { operator: operator.to_owned(), number, text: typed.to_lowercase() }
    }

    /// Whether a value meets the condition. Numbers compare with numbers, other values by their
    /// displayed text.
    pub fn holds(&self, value: &Value, displayed: impl Fn() -> String) -> bool {
        if let (Some(operand), Value::Number(number)) = (self.number, value) {
            match self.operator.as_str() {
                "equal" => return *number == operand,
                "notEqual" => return *number != operand,
                "greater" => return *number > operand,
                "greaterOrEqual" => return *number >= operand,
                "less" => return *number < operand,
                "lessOrEqual" => return *number <= operand,
                _ => {}
            }
        }
        let displayed = displayed().to_lowercase();
        let is_text = !matches!(value, Value::Number(_) | Value::Blank);
        match self.operator.as_str() {
            "equal" => matches(&self.text, &displayed),
            "notEqual" => !matches(&self.text, &displayed),
            "contains" => displayed.contains(&self.text),
            "notContains" => !displayed.contains(&self.text),
            "beginsWith" => displayed.starts_with(&self.text),
            "endsWith" => displayed.ends_with(&self.text),
            "greater" => is_text && self.number.is_none() && displayed > self.text,
            "greaterOrEqual" => is_text && self.number.is_none() && displayed >= self.text,
            "less" => is_text && self.number.is_none() && displayed < self.text,
            "lessOrEqual" => is_text && self.number.is_none() && displayed <= self.text,
            _ => true,
        }
    }
}

/// Whether `text` matches `pattern`: `*` stands for any text, `?` for any character, and `~`
/// escapes either. Both are in lower case. O(pattern length × text length).
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts: Vec<Option<char>> = Vec::new(); // `None`: any character
    let mut stars: Vec<usize> = Vec::new(); // places in `parts` before which any text may stand
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '*' => stars.push(parts.len()),
            '?' => parts.push(None),
            '~' => parts.push(Some(characters.next().unwrap_or('~'))),
            other => parts.push(Some(other)),
        }
    }
    let text: Vec<char> = text.chars().collect();
    // Which prefixes of `parts` match the text so far.
    let mut reached = vec![false; parts.len() + 1];
    reached[0] = true;
    for character in text {
        let mut next = vec![false; parts.len() + 1];
        for (length, _) in reached.iter().enumerate().filter(|(_, is_reached)| **is_reached) {
            if stars.contains(&length) {
                next[length] = true;
            }
            if parts.get(length).is_some_and(|part| part.is_none_or(|part| part == character)) {
                next[length + 1] = true;
            }
        }
        reached = next;
    }
    reached[parts.len()]
}

/// The limit that a number must reach to stay visible: a rank or an average.
pub(super) struct RankBound {
    limit: f64,
    is_upward: bool,
    includes_limit: bool,
}

impl RankBound {
    /// `None` when there are no numbers; nothing is hidden then.
    pub fn of(rule: &str, column: &Item, mut numbers: Vec<f64>) -> Option<RankBound> {
        if numbers.is_empty() {
            return None;
        }
        if rule.ends_with("Average") {
            let limit = numbers.iter().sum::<f64>() / numbers.len() as f64;
            return Some(RankBound { limit, is_upward: rule == "aboveAverage", includes_limit: false });
        }
        let is_upward = rule == "top";
        numbers.sort_unstable_by(f64::total_cmp);
        if is_upward {
            numbers.reverse();
        }
        let rank = column.number(Field::Rank).unwrap_or(10.0);
        let count = match column.boolean(Field::Percent).unwrap_or(false) {
            true => (numbers.len() as f64 * rank / 100.0).floor(),
            false => rank,
        };
        let index = (count.max(1.0) as usize).min(numbers.len()) - 1;
        Some(RankBound { limit: numbers[index], is_upward, includes_limit: true })
    }

    /// Whether a number stays visible.
    pub fn holds(&self, number: f64) -> bool {
        let is_beyond = if self.is_upward { number > self.limit } else { number < self.limit };
        is_beyond || self.includes_limit && number == self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_match_as_in_excel() {
        for (pattern, text, expected) in [
            ("ink", "ink", true),
            ("ink", "inks", false),
            ("*ink*", "blue inks", true),
            ("i?k", "ick", true),
            ("i?k", "ik", false),
            ("a*b*c", "a--b--c", true),
            ("a*b*c", "a--c--b", false),
            ("~*", "*", true),
            ("~*", "x", false),
            ("*", "", true),
            ("", "", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}
