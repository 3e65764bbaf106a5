//! [`TextRuns`]: the fonts of the parts of a cell's text, as an attribute of the cell's format.

use std::sync::Arc;

/// Fonts of the parts of one text ("rich text"). The runs state the length and a hash of the text
/// that they were made for; in a cell with another text, a number or a formula they have no effect.
/// That is why an edit of a text needs no rule for them, alone or beside other edits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TextRuns {
    /// FNV-1a hash of the text in UTF-8.
    pub(crate) text_hash: u32,
    /// In the order of the text; together they cover it.
    pub(crate) runs: Vec<TextRun>,
}

/// A part of a text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TextRun {
    /// Length in UTF-16 code units, at least 1.
    pub length: u32,
    pub font: TextFont,
}

/// The attributes of a font that a part of a text has of its own; the others are those of the cell.
/// Compact, because a sheet can have many: a `FormatPatch` has six times the size. `rich_text.rs`
/// converts between the two.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct TextFont {
    /// From the lowest bit: bold, italic, underline and strikethrough with two bits each (1 off,
    /// 2 on), three bits of the underline style and two of the script (1 none, then their values). 0
    /// is the attribute of the cell.
    pub(crate) bits: u32,
    /// 0 is that of the cell, 1 the default color; otherwise the color + 2.
    pub(crate) color: u32,
    /// 0 is that of the cell, 1 the default size; otherwise the size + 2.
    pub(crate) size: u16,
    /// `None` is that of the cell, an empty name the default font.
    pub(crate) family: Option<Arc<str>>,
}

impl TextFont {
    /// Bits, color, size and family as stored: see the fields.
    pub fn stored(&self) -> (u32, u32, u16, Option<&Arc<str>>) {
        (self.bits, self.color, self.size, self.family.as_ref())
    }

    /// Whether the part has the font of the cell.
    pub fn is_empty(&self) -> bool {
        *self == TextFont::default()
    }
}

impl TextRuns {
    /// Runs with the hash of their text, as stored. Returns `None` if there are no runs, or one has
    /// no length.
    pub fn from_stored(text_hash: u32, runs: Vec<TextRun>) -> Option<TextRuns> {
        (!runs.is_empty() && runs.iter().all(|run| run.length > 0)).then_some(TextRuns { text_hash, runs })
    }

    /// FNV-1a hash of the text in UTF-8.
    pub fn text_hash(&self) -> u32 {
        self.text_hash
    }

    /// The runs in the order of the text.
    pub fn runs(&self) -> &[TextRun] {
        &self.runs
    }

    /// Whether the runs were made for `text`.
    pub fn is_of(&self, text: &str) -> bool {
        let length = self.runs.iter().fold(0u32, |length, run| length.saturating_add(run.length));
        length == utf16_length(text) && hash(HASH_START, text) == self.text_hash
    }
}

/// The hash of the empty text (Fowler, Noll, Vo).
pub(crate) const HASH_START: u32 = 0x811c_9dc5;

/// Continues a hash.
pub(crate) fn hash(start: u32, text: &str) -> u32 {
    text.bytes().fold(start, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Length in UTF-16 code units.
pub(crate) fn utf16_length(text: &str) -> u32 {
    text.chars().fold(0, |units, character| units.saturating_add(character.len_utf16() as u32))
}
