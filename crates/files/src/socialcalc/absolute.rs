//! References of names: in SocialCalc they are absolute without `$`.

/// Makes the references of a formula absolute: `A1*Rate+SUM(B2:C3)` becomes
/// `$A$1*Rate+SUM($B$2:$C$3)`. Texts and names are unchanged.
pub fn absolute(formula: &str) -> String {
    let mut result = String::with_capacity(formula.len() + 8);
    let mut rest = formula;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '$' | '_' | '.');
        let length = match first {
            quote @ ('"' | '\'') => rest[1..].find(quote).map_or(rest.len(), |end| end + 2),
            first if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            first => first.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        // A word before `!` is a sheet, one before `(` a function.
        let is_reference = !after.starts_with(['!', '(']);
        match reference(word).filter(|_| is_reference) {
            Some((column, row)) => result.push_str(&format!("${column}${row}")),
            None => result.push_str(word),
        }
        rest = after;
    }
    result
}

/// The letters and digits of a reference such as `B$7`.
fn reference(word: &str) -> Option<(String, &str)> {
    let word = word.strip_prefix('$').unwrap_or(word);
    let letters = word.find(|c: char| !c.is_ascii_alphabetic()).filter(|length| (1..=3).contains(length))?;
    let (column, row) = word.split_at(letters);
    let row = row.strip_prefix('$').unwrap_or(row);
    let is_row = !row.is_empty() && row.bytes().all(|byte| byte.is_ascii_digit());
    is_row.then(|| (column.to_ascii_uppercase(), row))
}

#[cfg(test)]
mod tests {
    use super::absolute;

    #[test]
    fn references_become_absolute_and_names_do_not() {
        for (formula, expected) in [
            ("A1", "$A$1"),
            ("a1:$B$9", "$A$1:$B$9"),
            ("A1*Rate+SUM(B2:C3)", "$A$1*Rate+SUM($B$2:$C$3)"),
            ("\"A1\"&LOG10(A1)", "\"A1\"&LOG10($A$1)"),
            ("Q1!B2+'Q 1'!B2", "Q1!$B$2+'Q 1'!$B$2"),
            ("1.5E3", "1.5E3"),
        ] {
            assert_eq!(absolute(formula), expected, "{formula}");
        }
    }
}
