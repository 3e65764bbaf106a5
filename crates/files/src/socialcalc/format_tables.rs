//! The numbered tables of fonts, colors, borders and other formats in a save.

use std::collections::HashMap;

use quadrille_workbook::Format;

use super::{encode, styles};

/// The tables, to which the attributes of cells refer.
#[derive(Default)]
pub(super) struct FormatTables {
    fonts: Table,
    colors: Table,
    borders: Table,
    layouts: Table,
    cell_formats: Table,
    value_formats: Table,
}

/// Entries counted from 1, in the order of their first use.
#[derive(Default)]
struct Table {
    entries: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Table {
    /// The number of an entry, which is added if it is missing.
    fn number(&mut self, entry: String) -> usize {
        *self.numbers.entry(entry).or_insert_with_key(|entry| {
            self.entries.push(entry.clone());
            self.entries.len()
        })
    }
}

impl FormatTables {
    /// The format attributes of a cell, such as `:f:1:bg:2`, which refer to entries of the tables.
    /// SocialCalc applies number formats to texts and booleans too, and shows `TRUE` as `1.00` and a text
    /// as nothing, so that only a cell that `is_number` has one.
    pub fn attributes(&mut self, format: &Format, is_number: bool) -> String {
        let mut attributes = String::new();
        let sides = [format.border_top, format.border_right, format.border_bottom, format.border_left];
        if sides.iter().any(Option::is_some) {
            attributes.push_str(":b");
            for side in sides {
                let number = side.map(|border| self.borders.number(styles::print_border(border)));
                attributes.push_str(&number.map_or(":".to_owned(), |number| format!(":{number}")));
            }
        }
        if let Some(vertical) = format.vertical {
            let number = self.layouts.number(styles::print_layout(vertical));
            attributes.push_str(&format!(":l:{number}"));
        }
        if let Some(font) = styles::print_font(format) {
            attributes.push_str(&format!(":f:{}", self.fonts.number(font)));
        }
        for (key, color) in [("c", format.text_color), ("bg", format.fill_color)] {
            if let Some(color) = color {
                attributes.push_str(&format!(":{key}:{}", self.colors.number(styles::print_color(color))));
            }
        }
        if let Some(horizontal) = format.horizontal {
            let name = styles::print_horizontal(horizontal).to_owned();
            attributes.push_str(&format!(":cf:{}", self.cell_formats.number(name)));
        }
        let code = format.number_format.as_deref().map(styles::print_number_format);
        match code {
            Some("hidden") => {
                let hidden = self.value_formats.number("hidden".to_owned());
                attributes.push_str(&format!(":tvf:{hidden}:ntvf:{hidden}"));
            }
            Some(code) if is_number => {
                attributes.push_str(&format!(":ntvf:{}", self.value_formats.number(code.to_owned())));
            }
            _ => {}
        }
        if let Some(text_format) = format.text_format.filter(|_| code != Some("hidden")) {
            attributes.push_str(&self.text_format(styles::print_text_format(text_format)));
        }
        attributes
    }

    /// The attribute that displays a text in a format such as `text-link`.
    pub fn text_format(&mut self, format: &str) -> String {
        format!(":tvf:{}", self.value_formats.number(format.to_owned()))
    }

    /// The lines of the tables. SocialCalc reads the escapes of the last two only.
    pub fn lines(&self) -> String {
        let mut lines = String::new();
        for (key, table) in [
            ("border", &self.borders),
            ("color", &self.colors),
            ("font", &self.fonts),
            ("layout", &self.layouts),
        ] {
            for (number, entry) in (1..).zip(&table.entries) {
                lines.push_str(&format!("{key}:{number}:{entry}\n"));
            }
        }
        for (key, table) in [("cellformat", &self.cell_formats), ("valueformat", &self.value_formats)] {
            for (number, entry) in (1..).zip(&table.entries) {
                lines.push_str(&format!("{key}:{number}:{}\n", encode(entry)));
            }
        }
        lines
    }
}
