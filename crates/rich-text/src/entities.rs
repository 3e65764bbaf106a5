//! Character references of HTML, `&amp;` and `&#38;`.

/// The characters from U+00A0 on by name, in order (HTML 4, section 24.2).
const LATIN_1: &str = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg \
    plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute \
    Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve \
    Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc \
    atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute \
    ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";
const OTHERS: [(&str, char); 25] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("ndash", '–'),
    ("mdash", '—'),
    ("minus", '−'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("bull", '•'),
    ("hellip", '…'),
    ("euro", '€'),
    ("trade", '™'),
    ("larr", '←'),
    ("uarr", '↑'),
    ("rarr", '→'),
    ("darr", '↓'),
    ("le", '≤'),
    ("ge", '≥'),
    ("ne", '≠'),
    ("infin", '∞'),
    ("check", '✓'),
];
/// Longest name or number with its `&` and `;`.
const LENGTH_MAX: usize = 12;

/// The text with its character references (HTML, section 13.5) replaced. Unknown ones stay as they are.
pub fn decoded(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        decoded.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(LENGTH_MAX).position(|byte| byte == b';');
        match end.and_then(|end| Some((end, character(&rest[1..end])?))) {
            Some((end, character)) => {
                decoded.push(character);
                rest = &rest[end + 1..];
            }
            None => {
                decoded.push('&');
                rest = &rest[1..];
            }
        }
    }
    decoded.push_str(rest);
    decoded
}

fn character(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let number = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(number).filter(|c| !c.is_control() || *c == '\n' || *c == '\t');
    }
    let latin = LATIN_1.split_whitespace().position(|other| other == name);
    let latin = latin.and_then(|position| char::from_u32(0xa0 + position as u32)); // fewer than 96
    latin.or_else(|| OTHERS.iter().find(|(other, _)| *other == name).map(|(_, character)| *character))
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn character_references_have_a_name_or_a_number() {
        assert_eq!(
            decoded("a &lt; b &amp;&amp; c &#x20ac;&#8364;&eacute;&yuml;&nbsp;"),
            "a < b && c €€éÿ\u{a0}"
        );
        assert_eq!(decoded("AT&T &unknown; &#xfffffff; &; &"), "AT&T &unknown; &#xfffffff; &; &");
    }
}
