//! Detection of the separator of a text file (rule F6).

/// Candidates in order of preference.
const CANDIDATES: [u8; 4] = [b',', b'\t', b';', b'|'];

/// Number of lines that are examined.
const LINES_MAX: usize = 64;

/// Returns the candidate that splits most of the first lines into the same number of fields (at
/// least two), and the text. If the first line is `sep=;` as Excel writes it, returns that
/// separator and the rest of the text.
pub fn sniff(text: &str) -> (u8, &str) {
    if let Some(rest) = text.strip_prefix("sep=")
        && let Some((separator, rest)) = rest.split_once('\n')
        && let [separator] = separator.trim_end_matches('\r').as_bytes()
    {
        return (*separator, rest);
    }
    let lines = sample(text);
    let mut best = (0, 0, CANDIDATES[0]);
    for candidate in CANDIDATES {
        let counts: Vec<usize> = lines.iter().map(|line| count(line, candidate)).collect();
        let first = counts.first().copied().unwrap_or(0);
        let equal = if first == 0 { 0 } else { counts.iter().filter(|count| **count == first).count() };
        if (equal, first) > (best.0, best.1) {
            best = (equal, first, candidate);
        }
    }
    (best.2, text)
}

/// The first lines; a line break within quotes does not end a line.
fn sample(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let (mut start, mut is_quoted) = (0, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' if !is_quoted => {
                if at > start {
                    lines.push(&text[start..at]);
                }
                start = at + 1;
            }
            _ => {}
        }
        if lines.len() == LINES_MAX || at > 1 << 18 {
            return lines;
        }
    }
    if start < text.len() {
        lines.push(&text[start..]);
    }
    lines
}

fn count(line: &str, separator: u8) -> usize {
    let mut is_quoted = false;
    let separators = line.bytes().filter(|&byte| {
        is_quoted ^= byte == b'"';
        byte == separator && !is_quoted
    });
    separators.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_separator_is_the_one_that_splits_lines_equally() {
        for (text, separator) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1,5;2,5\n3,5;4\n", b';'),
            ("a\tb\n1,5\t2\n", b'\t'),
            ("name|note\nx|one, two, three\n", b'|'),
            ("\"a;b;c\",d\n\"e\nf;g\",h\n", b','),
            ("one column\nonly\n", b','),
            ("sep=;\na,b;c\n", b';'),
            ("", b','),
        ] {
            assert_eq!(sniff(text).0, separator, "{text:?}");
        }
    }
}
