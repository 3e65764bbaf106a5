//! Conversions between [`TextRuns`] and parts of a text with the attributes of their fonts.

use crate::format::{Color, FontScript, FontSize, FormatPatch, UnderlineStyle};
use crate::text_runs::{HASH_START, TextFont, TextRun, TextRuns, hash, utf16_length};

const UNDERLINE_STYLES: [Option<UnderlineStyle>; 4] = [
    None,
    Some(UnderlineStyle::Double),
    Some(UnderlineStyle::SingleAccounting),
    Some(UnderlineStyle::DoubleAccounting),
];
const SCRIPTS: [Option<FontScript>; 3] = [None, Some(FontScript::Superscript), Some(FontScript::Subscript)];

impl TextFont {
    /// The font attributes of a patch.
    pub fn of(patch: &FormatPatch) -> TextFont {
        let mut bits = 0;
        let flags = [patch.bold, patch.italic, patch.underline, patch.strikethrough];
        for (at, flag) in flags.into_iter().enumerate() {
            bits |= flag.map_or(0, |is_set| 1 + u32::from(is_set)) << (2 * at);
        }
        let number = |at: Option<usize>| at.map_or(0, |at| at as u32 + 1); // at most four values
        let style = |style| UNDERLINE_STYLES.iter().position(|known| *known == style);
        bits |= number(patch.underline_style.and_then(style)) << 8;
        bits |=
            number(patch.script.and_then(|script| SCRIPTS.iter().position(|known| *known == script))) << 11;
        TextFont {
            bits,
            color: patch.text_color.map_or(0, |color| color.map_or(1, |color| color.0.saturating_add(2))),
            size: patch.font_size.map_or(0, |size| size.map_or(1, |size| size.0.saturating_add(2))),
            family: patch.font_family.as_ref().map(|family| family.clone().unwrap_or_else(|| "".into())),
        }
    }

    /// A font as stored, by its [`parts`](TextFont::stored). Returns `None` for values without a
    /// meaning.
    pub fn from_stored(
        bits: u32,
        color: u32,
        size: u16,
        family: Option<std::sync::Arc<str>>,
    ) -> Option<TextFont> {
        let has_flags = (0..4).all(|at| bits >> (2 * at) & 3 < 3);
        let has_style = bits >> 8 & 7 <= UNDERLINE_STYLES.len() as u32 && bits >> 13 == 0;
        let has_size = size < 2 || (FontSize::MIN..=FontSize::MAX).contains(&FontSize(size - 2));
        let is_valid = has_flags && has_style && has_size && color <= 0xff_ffff + 2;
        is_valid.then_some(TextFont { bits, color, size, family })
    }

    /// The attributes as a patch.
    pub fn to_patch(&self) -> FormatPatch {
        let flag = |at: u32| (self.bits >> (2 * at) & 3).checked_sub(1).map(|is_set| is_set == 1);
        let value = |shift: u32, mask: u32| (self.bits >> shift & mask).checked_sub(1).map(|at| at as usize);
        FormatPatch {
            bold: flag(0),
            italic: flag(1),
            underline: flag(2),
            strikethrough: flag(3),
            underline_style: value(8, 7).and_then(|at| UNDERLINE_STYLES.get(at).copied()),
            script: value(11, 3).and_then(|at| SCRIPTS.get(at).copied()),
            text_color: self.color.checked_sub(1).map(|color| color.checked_sub(1).map(Color)),
            font_size: self.size.checked_sub(1).map(|size| size.checked_sub(1).map(FontSize)),
            font_family: self.family.clone().map(|family| Some(family).filter(|family| !family.is_empty())),
            ..FormatPatch::default()
        }
    }
}

impl TextRuns {
    /// Joins the parts of a text with their fonts; of the fonts, only font attributes are kept.
    /// Returns `None` if no part has a font of its own.
    pub fn from_parts<'t>(parts: impl IntoIterator<Item = (&'t str, FormatPatch)>) -> Option<TextRuns> {
        let mut text_hash = HASH_START;
        let mut runs: Vec<TextRun> = Vec::new();
        for (text, font) in parts {
            text_hash = hash(text_hash, text);
            push(&mut runs, utf16_length(text), TextFont::of(&font));
        }
        let has_fonts = runs.iter().any(|run| !run.font.is_empty());
        has_fonts.then_some(TextRuns { text_hash, runs })
    }

    /// The parts of `text` with their fonts; `None` if the runs were made for another text. A
    /// character is never divided.
    pub fn parts<'t>(&self, text: &'t str) -> Option<Vec<(&'t str, FormatPatch)>> {
        if !self.is_of(text) {
            return None;
        }
        let mut parts = Vec::with_capacity(self.runs.len());
        let (mut start, mut units, mut end) = (0, 0, 0);
        let mut characters = text.chars();
        for run in &self.runs {
            end += run.length; // no more than the length of the text
            let first = start;
            while units < end
                && let Some(character) = characters.next()
            {
                units += character.len_utf16() as u32; // 1 or 2
                start += character.len_utf8();
            }
            parts.push((&text[first..start], run.font.to_patch()));
        }
        Some(parts)
    }

    /// The runs without the attributes that `patch` sets, as after the whole cell has got another
    /// font. `None` if no run has a font of its own then.
    pub fn without(&self, patch: &FormatPatch) -> Option<TextRuns> {
        let mut runs = Vec::new();
        for run in &self.runs {
            push(&mut runs, run.length, TextFont::of(&run.font.to_patch().without(patch)));
        }
        let has_fonts = runs.iter().any(|run| !run.font.is_empty());
        has_fonts.then_some(TextRuns { text_hash: self.text_hash, runs })
    }
}

/// Adds a run, or extends the last one if it has the same font.
fn push(runs: &mut Vec<TextRun>, length: u32, font: TextFont) {
    match runs.last_mut() {
        _ if length == 0 => {}
        Some(last) if last.font == font => last.length = last.length.saturating_add(length),
        _ => runs.push(TextRun { length, font }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bold(is_bold: bool) -> FormatPatch {
        FormatPatch { bold: Some(is_bold), ..FormatPatch::default() }
    }

    #[test]
    fn parts_of_a_text_come_back_with_their_fonts() {
        let plain = FormatPatch::default();
        let parts = [("a😀", bold(true)), ("ö", plain.clone()), ("", bold(false)), ("b", plain.clone())];
        let runs = TextRuns::from_parts(parts).expect("a part is bold");
        assert_eq!(runs.runs().iter().map(|run| run.length).collect::<Vec<_>>(), [3, 2]);
        assert_eq!(runs.parts("a😀öb"), Some(vec![("a😀", bold(true)), ("öb", plain)]));
        assert_eq!(runs.parts("a😀öc"), None);
        assert_eq!(runs.parts("a😀ö"), None);
    }

    #[test]
    fn the_hash_is_fnv_1a() {
        // Test vectors of draft-eastlake-fnv.
        let hash_of = |text| TextRuns::from_parts([(text, bold(true))]).map(|runs| runs.text_hash());
        assert_eq!(hash_of("a"), Some(0xe40c_292c));
        assert_eq!(hash_of("foobar"), Some(0xbf9c_f968));
    }

    #[test]
    fn a_text_without_fonts_has_no_runs() {
        let wraps = FormatPatch { wrap: Some(true), ..FormatPatch::default() };
        assert_eq!(TextRuns::from_parts([("a", FormatPatch::default()), ("b", wraps)]), None);
    }

    #[test]
    fn a_font_of_the_whole_cell_replaces_that_of_its_parts() {
        let italic = FormatPatch { italic: Some(true), ..bold(true) };
        let runs = TextRuns::from_parts([("ab", italic.clone()), ("c", bold(false))]).expect("fonts");
        let rest = runs.without(&bold(false)).expect("a part is italic");
        let italic = FormatPatch { bold: None, ..italic };
        assert_eq!(rest.parts("abc"), Some(vec![("ab", italic.clone()), ("c", FormatPatch::default())]));
        assert_eq!(rest.without(&italic), None);
    }

    #[test]
    fn a_run_that_ends_within_a_character_ends_behind_it() {
        let text = TextRuns::from_parts([("😀", bold(true)), ("a", bold(false))]).expect("fonts");
        let [first, second] = [1, 2].map(|length| TextRun { length, font: TextFont::of(&bold(length == 1)) });
        let runs = TextRuns::from_stored(text.text_hash(), vec![first, second]).expect("valid");
        let texts: Vec<&str> = runs.parts("😀a").expect("same text").iter().map(|(text, _)| *text).collect();
        assert_eq!(texts, ["😀", "a"]);
    }

    #[test]
    fn stored_runs_need_a_length_and_valid_fonts() {
        let run = |length| TextRun { length, font: TextFont::of(&bold(true)) };
        assert_eq!(TextRuns::from_stored(1, vec![]), None);
        assert_eq!(TextRuns::from_stored(1, vec![run(0)]), None);
        assert!(TextRuns::from_stored(1, vec![run(1)]).is_some());
        for (bits, color, size) in
            [(3, 0, 0), (5 << 8, 0, 0), (1 << 13, 0, 0), (0, 0x100_0002, 0), (0, 0, 11)]
        {
            assert_eq!(TextFont::from_stored(bits, color, size, None), None, "{bits} {color} {size}");
        }
    }

    #[test]
    fn fonts_round_trip_through_patches() {
        let all = FormatPatch {
            bold: Some(false),
            italic: Some(true),
            underline: Some(true),
            underline_style: Some(Some(UnderlineStyle::DoubleAccounting)),
            strikethrough: Some(false),
            script: Some(Some(FontScript::Subscript)),
            text_color: Some(Some(Color(0xff_ffff))),
            font_size: Some(Some(FontSize::MAX)),
            font_family: Some(Some("Georgia".into())),
            ..FormatPatch::default()
        };
        let none = FormatPatch {
            underline_style: Some(None),
            script: Some(None),
            text_color: Some(None),
            font_size: Some(None),
            font_family: Some(None),
            ..FormatPatch::default()
        };
        for patch in [all, none, FormatPatch::default()] {
            let font = TextFont::of(&patch);
            assert_eq!(font.to_patch(), patch);
            let (bits, color, size, family) = font.stored();
            assert_eq!(TextFont::from_stored(bits, color, size, family.cloned()), Some(font.clone()));
        }
    }
}
