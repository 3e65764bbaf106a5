//! Formats of table cells: Excel's built-in table styles by name, in the colors of the Office theme
//! of 2013.

use quadrille_cell::{CellAddress, Range};
use quadrille_workbook::{Color, Field, Format, Item};

const WHITE: Color = Color(0xff_ffff);
/// Color of styles without an accent.
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
/// Style of a table that names none, as in Excel.
const DEFAULT_STYLE: &str = "TableStyleMedium2";

/// The three groups of built-in styles.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Light,
    Medium,
    Dark,
}

/// Group and color of a built-in style: `TableStyleLight1` to `21`, `TableStyleMedium1` to `28`,
/// `TableStyleDark1` to `11`. The accents repeat every seven styles. `None` for a workbook's custom
/// styles, whose definitions are not stored.
fn style(name: &str) -> Option<(Depth, Color)> {
    let name = name.strip_prefix("TableStyle")?;
    let (depth, number) = [("Light", Depth::Light), ("Medium", Depth::Medium), ("Dark", Depth::Dark)]
        .into_iter()
        .find_map(|(word, depth)| Some((depth, name.strip_prefix(word)?)))?;
    let number: usize = number.parse().ok().filter(|number| (1..=28).contains(number))?;
    let accent = ((number - 1) % 7).checked_sub(1).map_or(NEUTRAL, |accent| ACCENTS[accent]);
    Some((depth, accent))
}

/// `color` mixed with 80 % white.
fn tint(color: Color) -> Color {
    let channel = |shift: u32| {
        let value = (color.0 >> shift) & 0xff;
        (value + (0xff - value) * 4 / 5) << shift
    };
    Color(channel(16) | channel(8) | channel(0))
}

/// The format of a table cell: the cell's own format takes precedence over the style of the table,
/// whose range is `area`.
pub fn table_style(table: &Item, area: Range, cell: CellAddress, own: &Format) -> Format {
    let mut format = own.clone();
    let Some((depth, accent)) = style(table.text(Field::Style).map_or(DEFAULT_STYLE, |name| &**name)) else {
        return format;
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
        let is_band = |field, index: u32| is_set(field) && index.is_multiple_of(2);
        let has_band = is_band(Field::BandedRows, row) || is_band(Field::BandedColumns, column);
        let is_edge = is_set(Field::FirstColumn) && cell.column == area.first().column
            || is_set(Field::LastColumn) && cell.column == area.last().column;
        (has_band.then(|| tint(accent)), None, is_edge)
    };
    // Medium and dark styles choose the text color for their own fill only.
    if format.fill_color.is_none() || depth == Depth::Light {
        format.text_color = format.text_color.or(text);
    }
    format.fill_color = format.fill_color.or(fill);
    format.bold |= is_bold;
    format
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

    fn fill_text_bold(item: &Item, cell: &str) -> (Option<u32>, Option<u32>, bool) {
        let area = Range::parse_a1("B2:D6").expect("valid");
        let cell = CellAddress::parse_a1(cell).expect("valid");
        let format = table_style(item, area, cell, &Format::default());
        (format.fill_color.map(|color| color.0), format.text_color.map(|color| color.0), format.bold)
    }

    #[test]
    fn header_bands_totals_and_edge_columns_have_their_formats() {
        let yes = FieldValue::Boolean(true);
        let name = FieldValue::Text("TableStyleMedium9".into());
        let item = table(&[
            (Field::Style, name),
            (Field::BandedRows, yes.clone()),
            (Field::TotalRow, yes.clone()),
            (Field::LastColumn, yes),
        ]);
        assert_eq!(fill_text_bold(&item, "B2"), (Some(0x44_72c4), Some(0xff_ffff), true));
        // 80 % tint of accent 1, which Excel gives as D9E1F2 within rounding.
        assert_eq!(fill_text_bold(&item, "B3"), (Some(0xd9_e2f3), None, false));
        assert_eq!(fill_text_bold(&item, "C4"), (None, None, false));
        assert_eq!(fill_text_bold(&item, "D4"), (None, None, true));
        assert_eq!(fill_text_bold(&item, "B6"), (None, None, true));
    }

    #[test]
    fn without_a_header_the_first_row_is_a_band() {
        let item = table(&[
            (Field::HeaderRow, FieldValue::Boolean(false)),
            (Field::BandedRows, FieldValue::Boolean(true)),
        ]);
        assert_eq!(fill_text_bold(&item, "B2").0, Some(0xd9_e2f3));
        assert_eq!(fill_text_bold(&item, "B3").0, None);
    }

    #[test]
    fn a_custom_style_adds_no_format() {
        let item = table(&[(Field::Style, FieldValue::Text("House style".into()))]);
        assert_eq!(fill_text_bold(&item, "B2"), (None, None, false));
    }
}
