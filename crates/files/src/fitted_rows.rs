//! Heights of rows for which a file has none. Excel and LibreOffice fit such rows to their texts when they open the
//! file. The heights are those that the client needs (`heightNeededPx` of `web/grid`), so that it takes the rows for
//! fitted ones; only the widths of the letters are estimated, because a reader has no fonts.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_cell::{CellAddress, Dimension, Range};
use quadrille_workbook::{Format, Input, ItemKind, Literal, Sheet};

/// The client's sizes in CSS pixels, and its distance between lines in parts of the size of the font.
const ROW_PIXELS: u16 = 22;
const COLUMN_PIXELS: u16 = 96;
const FONT_PIXELS: f64 = 13.0;
const PADDING_PIXELS: f64 = 4.0;
const LINE_HEIGHT: f64 = 1.3;
const BELOW_LINES_PIXELS: f64 = 5.0;
/// Lines of a text that are counted, at most.
const LINES_MAX: usize = 60;
/// The height of a row in Excel, at most: 409.5 points.
const HEIGHT_MAX: f64 = 546.0;
/// Cells of a sheet that are measured, at most; the rows of others keep the default height.
const CELLS_MAX: usize = 200_000;
/// Letters of bold texts are so much wider.
const BOLD: f64 = 1.06;
/// The widths of the letters from the space to `~` in thousandths of the size of the font: those of Helvetica in
/// Adobe's font metrics, which Arial, Liberation Sans and others have, too.
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
    556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
    500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469,
    556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
    278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
/// The width of other letters, and of those of East Asia.
const LETTER: u16 = 556;
const WIDE_LETTER: u16 = 1000;

/// Gives the rows that have no height the one that their cells need, except `known`: rows for which the file says that
/// one line is enough, as first index and count.
pub(crate) fn fit_rows(sheet: &mut Sheet, known: &[(u32, u32)]) {
    let known: BTreeMap<u32, u32> = known.iter().copied().collect();
    let is_known = |row: u32| {
        known.range(..=row).next_back().is_some_and(|(first, count)| row < first.saturating_add(*count))
    };
    let merges = sheet.items().of_kind(ItemKind::Merge);
    let merged: BTreeSet<CellAddress> =
        merges.filter_map(|(_, item)| item.anchors.first().map(|anchor| anchor.first())).collect();
    let mut heights: BTreeMap<u32, f64> = BTreeMap::new();
    let runs: Vec<(Range, &Format)> =
        sheet.format_runs(Range::whole_sheet()).filter(|(_, format)| can_need_more(format)).collect();
    let mut cells = 0;
    for (range, format) in runs {
        for (cell, input) in sheet.inputs_in(range) {
            let row = cell.row.get();
            if is_known(row) || merged.contains(&cell) || sheet.size(Dimension::Rows, row).is_some() {
                continue;
            }
            cells += 1;
            if cells > CELLS_MAX {
                break;
            }
            let width = sheet.size(Dimension::Columns, cell.column.get()).unwrap_or(COLUMN_PIXELS);
            let height = height_of(&input, format, f64::from(width));
            let needed = heights.entry(row).or_default();
            *needed = needed.max(height);
        }
    }
    for (row, height) in heights {
        if height > f64::from(ROW_PIXELS) {
            sheet.set_sizes(Dimension::Rows, row, 1, Some(height.min(HEIGHT_MAX) as u16));
        }
    }
}

/// Whether a cell with the format can need more than the default height. Turned texts are not measured.
fn can_need_more(format: &Format) -> bool {
    let is_large = format.font_size.is_some_and(|size| pixels(size.points()) > FONT_PIXELS);
    format.rotation.degrees() == 0 && (format.wrap || is_large)
}

fn pixels(points: f64) -> f64 {
    points * 4.0 / 3.0
}

fn height_of(input: &Input, format: &Format, column: f64) -> f64 {
    let font = format.font_size.map_or(FONT_PIXELS, |size| pixels(size.points()));
    let lines = match input {
        Input::Blank => return 0.0,
        Input::Value(Literal::Text(text)) if format.wrap => {
            let letters = if format.bold { font * BOLD } else { font };
            lines(text, (column - 2.0 * PADDING_PIXELS) / letters * 1_000.0)
        }
        // Numbers have one line. What a formula results in is not known yet.
        _ => 1,
    };
    (lines as f64 * font * LINE_HEIGHT).ceil() + BELOW_LINES_PIXELS
}

/// The number of lines of a text that is broken between words, and within words that are wider than a line. `room` is
/// in thousandths of the size of the font.
fn lines(text: &str, room: f64) -> usize {
    let mut count = 0;
    for paragraph in text.split('\n') {
        count += 1;
        let mut used = 0.0;
        for word in paragraph.split_inclusive(|c| c == ' ' || is_wide(c)) {
            let width: f64 = word.trim_end_matches(' ').chars().map(|c| f64::from(width(c))).sum();
            if used > 0.0 && used + width > room {
                count += 1;
                used = 0.0;
            }
            if width > room {
                let more = (width / room.max(f64::from(WIDE_LETTER))).ceil() as usize - 1;
                count += more;
                used = width - more as f64 * room;
            } else {
                used += width;
            }
            used +=
                word.chars().rev().take_while(|c| *c == ' ').map(|c| f64::from(self::width(c))).sum::<f64>();
            if count >= LINES_MAX {
                return LINES_MAX;
            }
        }
    }
    count
}

fn width(letter: char) -> u16 {
    match letter {
        ' '..='~' => WIDTHS[letter as usize - ' ' as usize],
        letter if is_wide(letter) => WIDE_LETTER,
        // Marks over the letter before.
        '\u{300}'..='\u{36F}' => 0,
        _ => LETTER,
    }
}

/// Whether a letter is as wide as high, and lines can end after it.
fn is_wide(letter: char) -> bool {
    matches!(letter, '\u{1100}'..='\u{115F}' | '\u{2E80}'..='\u{A4CF}' | '\u{AC00}'..='\u{D7A3}' | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FF60}' | '\u{1F300}'..='\u{1FAFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_broken_between_words_and_within_long_ones() {
        for (text, room, expected) in [
            ("one line", 10_000.0, 1),
            ("two\nlines", 10_000.0, 2),
            // Each word has about 2,000.
            ("four words here now", 2_500.0, 4),
            ("four words here now", 5_000.0, 2),
            ("", 1_000.0, 1),
            ("mmmmmmmmmm", 4_000.0, 3),
            ("表計算表計算", 3_000.0, 2),
            ("a\nb\n", 1_000.0, 3),
        ] {
            assert_eq!(lines(text, room), expected, "{text}");
        }
        assert_eq!(lines(&"word ".repeat(10_000), 1_000.0), LINES_MAX);
    }
}
