//! Marks of the formats of cells with a named style, for `write_cell_styles.rs`: the family and the
//! character set of the font, which nothing else uses.

use std::collections::BTreeMap;

use quadrille_workbook::{Format, FormatPatch, Item, ItemId, ItemKind, Workbook};
use rust_xlsxwriter as xlsx;

/// Groups of attributes that a format of a cell can set itself (ECMA-376 part 1, 18.8.45).
pub const GROUPS: [&str; 5] = ["NumberFormat", "Font", "Fill", "Border", "Alignment"];
/// A mark is the position of a style and one bit for each group.
pub const MARKS_PER_STYLE: usize = 1 << GROUPS.len();
/// Values of the character set in a mark: 1 to 255.
pub const CHARACTER_SETS: usize = 255;
/// The first family of a mark; ECMA-376 defines those up to 14.
pub const FAMILY_FIRST: usize = 20;
/// Styles that are written; as many as there are marks for.
pub(crate) const WRITTEN_STYLES_MAX: usize = (256 - FAMILY_FIRST) * CHARACTER_SETS / MARKS_PER_STYLE;

/// The cell styles that are written, by their positions.
#[derive(Default)]
pub struct StyleMarks(BTreeMap<ItemId, usize>);

impl StyleMarks {
    /// The styles of a workbook.
    pub fn of(workbook: &Workbook) -> StyleMarks {
        StyleMarks(written(workbook).enumerate().map(|(position, (id, _))| (id, position)).collect())
    }

    /// Marks the format of cells with a style.
    pub fn mark(&self, style: xlsx::Format, format: &Format) -> xlsx::Format {
        let Some(position) = format.cell_style.and_then(|id| self.0.get(&id)) else { return style };
        let groups = groups_of(&FormatPatch::replacing_with(format));
        let bits = (0..GROUPS.len()).filter(|group| groups[*group]).map(|group| 1 << group).sum::<usize>();
        let mark = position * MARKS_PER_STYLE + bits;
        style
            .set_font_family((FAMILY_FIRST + mark / CHARACTER_SETS) as u8)
            .set_font_charset((mark % CHARACTER_SETS + 1) as u8)
    }
}

/// The styles that are written.
pub fn written(workbook: &Workbook) -> impl Iterator<Item = (ItemId, &Item)> {
    let styles = workbook.items().of_kind(ItemKind::CellStyle).map(|(id, item)| (id, &**item));
    styles.take(WRITTEN_STYLES_MAX)
}

/// The groups with an attribute that the patch sets.
pub fn groups_of(patch: &FormatPatch) -> [bool; GROUPS.len()] {
    let font = [
        patch.bold.is_some(),
        patch.italic.is_some(),
        patch.underline.is_some(),
        patch.underline_style.is_some(),
        patch.strikethrough.is_some(),
        patch.text_color.is_some(),
        patch.font_family.is_some(),
        patch.font_size.is_some(),
        patch.script.is_some(),
    ];
    let fill = [patch.fill_color.is_some(), patch.fill_pattern.is_some(), patch.fill_pattern_color.is_some()];
    let sides = [patch.border_top, patch.border_right, patch.border_bottom, patch.border_left];
    let borders = sides.into_iter().chain([patch.border_diagonal_up, patch.border_diagonal_down]);
    let alignment = [
        patch.wrap.is_some(),
        patch.horizontal.is_some(),
        patch.vertical.is_some(),
        patch.indent.is_some(),
        patch.rotation.is_some(),
        patch.overflow.is_some(),
        patch.reading_order.is_some(),
    ];
    [
        patch.number_format.is_some(),
        font.contains(&true),
        fill.contains(&true),
        borders.flatten().next().is_some(),
        alignment.contains(&true),
    ]
}
