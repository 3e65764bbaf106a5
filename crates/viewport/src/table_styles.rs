//! How cells of a table look: Excel's table styles by their names, in the colours of the Office theme of 2013.

use quadrille_cell::{CellAddress, Range};
use quadrille_workbook::{Color, Field, Format, Item};

const WHITE: Color = Color(0xff_ffff);
/// Without an accent.
const NEUTRAL: Color = Color(0x40_4040);
/// Accents 1 to 6 of the theme.
const ACCENTS: [Color; 6] = [
    Color(0x44_72c4),
    Color(0xed_7d31),
    Color(0x7b_7b7b),
    Color(0xbf_8f00),
    Color(0x5b_9bd5),
    Color(0x70_ad47),
];
/// What a table without a style is shown in, as Excel does.
const STYLE: &str = "TableStyleMedium2";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Light,
    Medium,
    Dark,
}

/// `TableStyleLight1` to `21`, `TableStyleMedium1` to `28`, `TableStyleDark1` to `11`: the accents repeat after seven.
/// Nothing for the names of a workbook's own styles, which are not kept.
fn style(name: &str) -> Option<(Depth, Color)> {
    let name = name.strip_prefix("TableStyle")?;
    let (depth, number) = [("Light", Depth::Light), ("Medium", Depth::Medium), ("Dark", Depth::Dark)]
        .into_iter()
        .find_map(|(word, depth)| Some((depth, name.strip_prefix(word)?)))?;
    let number: usize = number.parse().ok().filter(|number| (1..=28).contains(number))?;
    let accent = ((number - 1) % 7).checked_sub(1).map_or(NEUTRAL, |accent| ACCENTS[accent]);
    Some((depth, accent))
}

/// Four fifths of the way to white.
fn tint(color: Color) -> Color {
    let channel = |shift: u32| {
        let value = (color.0 >> shift) & 0xff;
        (value + (0xff - value) * 4 / 5) << shift
    };
    Color(channel(16) | channel(8) | channel(0))
}

/// `own` on top of the look that the table gives the cell.
pub fn table_style(table: &Item, area: Range, cell: CellAddress, own: &Format) -> Format {
    let mut look = own.clone();
    let Some((depth, accent)) = style(table.text(Field::Style).map_or(STYLE, |name| &**name)) else {
        return look;
    };
    let is_set = |field| table.boolean(field) == Some(true);
    let has_header = table.boolean(Field::HeaderRow).unwrap_or(true);
    let (fill, text, is_bold) = if has_header && cell.row == area.first().row {
        match depth {
            Depth::Light => (None, Some(accent), true),
            Depth::Medium | Depth::Dark => (Some(accent), Some(WHITE), true),
        }
    } else if is_set(Field::TotalRow) && cell.row == area.last().row {
        (None, None, true)
    } else {
        let row = cell.row.get() - area.first().row.get() - u32::from(has_header);
        let column = cell.column.get() - area.first().column.get();
        let is_band = |field, line: u32| is_set(field) && line.is_multiple_of(2);
        let has_band = is_band(Field::BandedRows, row) || is_band(Field::BandedColumns, column);
        let is_edge = is_set(Field::FirstColumn) && cell.column == area.first().column
            || is_set(Field::LastColumn) && cell.column == area.last().column;
        (has_band.then(|| tint(accent)), None, is_edge)
    };
    // Text in the table's colour goes with its fill.
    if look.fill_color.is_none() || depth == Depth::Light {
        look.text_color = look.text_color.or(text);
    }
    look.fill_color = look.fill_color.or(fill);
    look.bold |= is_bold;
    look
}

#[cfg(test)]
mod tests {
    use quadrille_workbook::FieldValue;

    use super::*;

    fn table(fields: &[(Field, FieldValue)]) -> Item {
        let mut item = Item::new(quadrille_workbook::ItemKind::Table);
        item.fields.extend(fields.iter().cloned());
        item
    }

    fn looks(item: &Item, cell: &str) -> (Option<u32>, Option<u32>, bool) {
        let area = Range::parse_a1("B2:D6").expect("valid");
        let cell = CellAddress::parse_a1(cell).expect("valid");
        let look = table_style(item, area, cell, &Format::default());
        (look.fill_color.map(|color| color.0), look.text_color.map(|color| color.0), look.bold)
    }

    #[test]
    fn header_bands_totals_and_edges() {
        let yes = FieldValue::Boolean(true);
        let name = FieldValue::Text("TableStyleMedium9".into());
        let item = table(&[
            (Field::Style, name),
            (Field::BandedRows, yes.clone()),
            (Field::TotalRow, yes.clone()),
            (Field::LastColumn, yes),
        ]);
        assert_eq!(looks(&item, "B2"), (Some(0x44_72c4), Some(0xff_ffff), true));
        // 80 % tint of accent 1, which Excel gives as D9E1F2 within rounding.
        assert_eq!(looks(&item, "B3"), (Some(0xd9_e2f3), None, false));
        assert_eq!(looks(&item, "C4"), (None, None, false));
        assert_eq!(looks(&item, "D4"), (None, None, true));
        assert_eq!(looks(&item, "B6"), (None, None, true));
    }

    #[test]
    fn without_a_header_the_first_row_is_a_band() {
        let item = table(&[
            (Field::HeaderRow, FieldValue::Boolean(false)),
            (Field::BandedRows, FieldValue::Boolean(true)),
        ]);
        assert_eq!(looks(&item, "B2").0, Some(0xd9_e2f3));
        assert_eq!(looks(&item, "B3").0, None);
    }

    #[test]
    fn a_style_of_the_workbooks_own_shows_nothing() {
        let item = table(&[(Field::Style, FieldValue::Text("House style".into()))]);
        assert_eq!(looks(&item, "B2"), (None, None, false));
    }
}
