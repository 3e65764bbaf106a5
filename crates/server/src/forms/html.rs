//! Writing HTML: texts are escaped here and nowhere else.

/// Replaces `{1}` and `{2}`.
pub fn filled(sentence: &str, texts: &[&str]) -> String {
    let mut filled = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some(start) = rest.find('{') {
        let number = rest[start + 1..].chars().next().and_then(|char| char.to_digit(10));
        let text = number.filter(|_| rest[start + 2..].starts_with('}'));
        let text = text.and_then(|number| texts.get((number as usize).checked_sub(1)?));
        let Some(text) = text else { break };
        filled.push_str(&rest[..start]);
        filled.push_str(text);
        rest = &rest[start + 3..];
    }
    filled + rest
}

/// A text for an element or for an attribute in double quotes.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ => escaped.push(char),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_filled_once() {
        assert_eq!(filled("{1} to {2}.", &["{2}", "b"]), "{2} to b.");
        assert_eq!(filled("{3} {", &["a"]), "{3} {");
        assert_eq!(filled("بين {1} و{2}.", &["1", "2"]), "بين 1 و2.");
    }

    #[test]
    fn texts_cannot_add_markup() {
        assert_eq!(escaped("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
    }
}
