//! Functions for East Asian and Thai text: byte variants (LENB etc.), half-width and full-width
//! characters (ASC, DBCS, JIS), PHONETIC, BAHTTEXT. Described in Excel's help and OpenFormula 6.7
//! and 6.20.

use quadrille_cell::Value;

use super::{search, substrings};
use crate::arguments::ValueResult;
use crate::coerce::{number, text, text_value};
use crate::context::CallContext;
use crate::function::Function;

/// The byte variants count one byte per character, as Excel does unless a double-byte language is
/// the default language of the program, which must not influence results here.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar("LENB", "text", "How many bytes there are, one per character.", substrings::length)
        .examples(&[("=LENB(\"abc\")", "3")]),
    Function::scalar("LEFTB", "text, [count]", "The first bytes, one per character.", substrings::left)
        .examples(&[("=LEFTB(\"abc\",2)", "ab")]),
    Function::scalar("RIGHTB", "text, [count]", "The last bytes, one per character.", substrings::right)
        .examples(&[("=RIGHTB(\"abc\",2)", "bc")]),
    Function::scalar(
        "MIDB",
        "text, start, count",
        "Bytes from a place on, one per character.",
        substrings::middle,
    )
    .examples(&[("=MIDB(\"abcdef\",2,3)", "bcd")]),
    Function::scalar(
        "REPLACEB",
        "text, start, count, new_text",
        "The text with bytes at a place replaced, one per character.",
        substrings::replace,
    )
    .examples(&[("=REPLACEB(\"abcdef\",2,3,\"X\")", "aXef")]),
    Function::scalar(
        "FINDB",
        "find_text, within_text, [start]",
        "At which byte a text begins in another, one per character; case matters.",
        search::find,
    )
    .examples(&[("=FINDB(\"c\",\"abcabc\")", "3")]),
    Function::scalar(
        "SEARCHB",
        "find_text, within_text, [start]",
        "At which byte a text begins in another, one per character; wildcards count.",
        search::search,
    )
    .examples(&[("=SEARCHB(\"b?d\",\"abcd\")", "2")]),
    Function::scalar("ASC", "text", "The text with wide letters and katakana made narrow.", narrow)
        .examples(&[("=ASC(\"ＡＢ１\u{3000}ガ\")", "AB1 ｶﾞ")]),
    Function::scalar("DBCS", "text", "The text with narrow letters and katakana made wide.", wide)
        .excel_only()
        .examples(&[("=DBCS(\"AB1 ｶﾞ\")", "ＡＢ１\u{3000}ガ")]),
    Function::scalar("JIS", "text", "The text with narrow letters and katakana made wide.", wide)
        .examples(&[("=JIS(\"EXCEL\")", "ＥＸＣＥＬ")]),
    Function::scalar(
        "PHONETIC",
        "text",
        "The reading of a Japanese text: the text itself, cells keep no readings.",
        |_, arguments| Ok(Value::Text(text(&arguments[0])?)),
    )
    .excel_only()
    .examples(&[("=PHONETIC(\"東京\")", "東京")]),
    Function::scalar("BAHTTEXT", "number", "An amount of money in Thai words.", baht)
        .excel_only()
        .examples(&[("=BAHTTEXT(1234)", "หนึ่งพันสองร้อยสามสิบสี่บาทถ้วน"), ("=BAHTTEXT(-0.25)", "ลบยี่สิบห้าสตางค์")]),
];

/// The full-width forms of U+FF61 to U+FF9F, in order.
const WIDE_KATAKANA: &str = "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜";
const FIRST_NARROW: u32 = 0xFF61;
const VOICED: &str = "ガギグゲゴザジズゼゾダヂヅデドバビブベボ";
const HALF_VOICED: &str = "パピプペポ";
const NARROW_VOICED_MARK: char = 'ﾞ';
const NARROW_HALF_VOICED_MARK: char = 'ﾟ';
/// Offset from the ASCII characters `!` to `~` to their full-width forms.
const WIDE_OFFSET: u32 = 0xFEE0;

fn shifted(character: char, offset: i64) -> char {
    u32::try_from(i64::from(u32::from(character)) + offset).ok().and_then(char::from_u32).unwrap_or(character)
}

fn narrow_katakana(character: char) -> Option<char> {
    let index = WIDE_KATAKANA.chars().position(|wide| wide == character)?;
    char::from_u32(FIRST_NARROW + index as u32)
}

fn narrow(context: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let text = text(&arguments[0])?;
    context.budget.charge(text.len() as u64)?;
    let mut narrowed = String::with_capacity(text.len());
    for character in text.chars() {
        let (base, mark) = match character {
            'ヴ' => ('ウ', Some(NARROW_VOICED_MARK)),
            // The base character precedes the one with a sound mark by one or two code points.
            _ if VOICED.contains(character) => (shifted(character, -1), Some(NARROW_VOICED_MARK)),
            _ if HALF_VOICED.contains(character) => (shifted(character, -2), Some(NARROW_HALF_VOICED_MARK)),
            _ => (character, None),
        };
        narrowed.push(match base {
            '\u{3000}' => ' ',
            '！'..='～' => shifted(base, -i64::from(WIDE_OFFSET)),
            _ => narrow_katakana(base).unwrap_or(character),
        });
        narrowed.extend(mark);
    }
    text_value(narrowed)
}

fn wide(context: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let text = text(&arguments[0])?;
    context.budget.charge(text.len() as u64)?;
    let mut widened = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let plain = match character {
            ' ' => '\u{3000}',
            '!'..='~' => shifted(character, i64::from(WIDE_OFFSET)),
            '\u{FF61}'..='\u{FF9F}' => {
                let index = (u32::from(character) - FIRST_NARROW) as usize;
                WIDE_KATAKANA.chars().nth(index).unwrap_or(character)
            }
            _ => character,
        };
        // A sound mark combines with the preceding character if a combined form exists.
        let marked = match characters.peek() {
            Some(&NARROW_VOICED_MARK) if plain == 'ウ' => Some('ヴ'),
            Some(&NARROW_VOICED_MARK) => Some(shifted(plain, 1)).filter(|marked| VOICED.contains(*marked)),
            Some(&NARROW_HALF_VOICED_MARK) => {
                Some(shifted(plain, 2)).filter(|marked| HALF_VOICED.contains(*marked))
            }
            _ => None,
        };
        if marked.is_some() {
            characters.next();
        }
        widened.push(marked.unwrap_or(plain));
    }
    text_value(widened)
}

const THAI_DIGITS: [&str; 10] = ["ศูนย์", "หนึ่ง", "สอง", "สาม", "สี่", "ห้า", "หก", "เจ็ด", "แปด", "เก้า"];
const MILLION: u64 = 1_000_000;

/// Pushes the Thai words of a number below a million; nothing for zero.
fn push_thai(number: u64, target: &mut String) {
    const POWERS: [(u64, &str); 4] = [(100_000, "แสน"), (10_000, "หมื่น"), (1_000, "พัน"), (100, "ร้อย")];
    let mut rest = number;
    for (power, name) in POWERS {
        if rest >= power {
            target.push_str(THAI_DIGITS[(rest / power) as usize]);
            target.push_str(name);
            rest %= power;
        }
    }
    let (tens, ones) = (rest / 10, rest % 10);
    if tens > 0 {
        // Ten is not "one ten", and twenty has its own word.
        target.push_str(match tens {
            1 => "",
            2 => "ยี่",
            _ => THAI_DIGITS[tens as usize],
        });
        target.push_str("สิบ");
    }
    match (tens, ones) {
        (_, 0) => {}
        (1.., 1) => target.push_str("เอ็ด"),
        _ => target.push_str(THAI_DIGITS[ones as usize]),
    }
}

fn push_thai_millions(number: u64, target: &mut String) {
    if number >= MILLION {
        push_thai_millions(number / MILLION, target);
        target.push_str("ล้าน");
    }
    push_thai(number % MILLION, target);
}

fn baht(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let amount = number(&arguments[0])?;
    // Beyond 2^53 doubles do not represent all integers.
    let satang = (amount.abs() * 100.0).round();
    if satang > 9_007_199_254_740_992.0 {
        return Ok(Value::Error(quadrille_cell::ErrorValue::Value));
    }
    let (baht, satang) = (satang as u64 / 100, satang as u64 % 100);
    let mut words = String::new();
    if amount < 0.0 && (baht, satang) != (0, 0) {
        words.push_str("ลบ");
    }
    if (baht, satang) == (0, 0) {
        words.push_str(THAI_DIGITS[0]);
    }
    push_thai_millions(baht, &mut words);
    if baht > 0 || satang == 0 {
        words.push_str("บาท");
    }
    if satang == 0 {
        words.push_str("ถ้วน");
    } else {
        push_thai(satang, &mut words);
        words.push_str("สตางค์");
    }
    text_value(words)
}
