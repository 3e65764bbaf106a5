//! The line `sheet:` of a save: its size and the defaults of its cells.

use quadrille_cell::Range;
use quadrille_workbook::Format;

/// Size and defaults of a sheet. Formats are numbers of entries of the format tables.
#[derive(Clone, Default)]
pub(super) struct Defaults {
    columns: u32,
    rows: u32,
    /// Pixels.
    pub column_width: Option<u16>,
    pub row_height: Option<u16>,
    pub font: String,
    pub layout: String,
    pub color: String,
    pub fill: String,
    /// Horizontal alignment of texts, and of numbers.
    pub text_alignment: String,
    pub number_alignment: String,
    pub number_format: String,
    pub text_format: String,
    /// The format of a cell without attributes.
    pub format: Format,
}

impl Defaults {
    /// Reads `sheet:c:3:r:9:w:120:font:1`. Returns the names of what is left out.
    pub fn read(&mut self, line: &str) -> Vec<&'static str> {
        let fields: Vec<&str> = line.split(':').collect();
        let mut left_out = Vec::new();
        for pair in fields[1..].chunks(2) {
            let value = pair.get(1).copied().unwrap_or_default();
            let entry = match pair[0] {
                "font" => &mut self.font,
                "layout" => &mut self.layout,
                "color" => &mut self.color,
                "bgcolor" => &mut self.fill,
                "tf" => &mut self.text_alignment,
                "ntf" => &mut self.number_alignment,
                "ntvf" => &mut self.number_format,
                "tvf" => &mut self.text_format,
                "c" => {
                    self.columns = value.parse().unwrap_or(0);
                    continue;
                }
                "r" => {
                    self.rows = value.parse().unwrap_or(0);
                    continue;
                }
                "w" => {
                    self.column_width = value.parse().ok();
                    left_out.extend(self.column_width.is_none().then_some("column widths other than pixels"));
                    continue;
                }
                "h" => {
                    self.row_height = value.parse().ok().filter(|height| *height > 0);
                    continue;
                }
                "recalc" => {
                    left_out.extend((value == "off").then_some("recalculation on request"));
                    continue;
                }
                "usermaxcol" | "usermaxrow" => {
                    left_out.extend((value != "0").then_some("limits of the rows and columns shown"));
                    continue;
                }
                // Results of the last calculation.
                "circularreferencecell" | "needsrecalc" | "" => continue,
                _ => {
                    left_out.push("features of later versions of SocialCalc");
                    continue;
                }
            };
            value.clone_into(entry);
        }
        left_out
    }

    /// The range from A1 to the last row and column, at least one cell.
    pub fn size(&self) -> Option<Range> {
        Range::from_indices(0, 0, self.rows.max(1) - 1, self.columns.max(1) - 1)
    }
}
