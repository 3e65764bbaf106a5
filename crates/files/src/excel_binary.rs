//! Binary Excel workbooks, read only: `.xls` of Excel 97 to 2003 ([MS-XLS], "BIFF8") in a compound
//! file ([MS-CFB]), and `.xlsb` ([MS-XLSB], "BIFF12") in a ZIP archive.
//!
//! Both consist of records of a type, a length and data, and store formulas as tokens in postfix
//! order, which [`formula_tokens`] turns into text. Read are values, formulas, number formats, sizes,
//! hidden rows and columns, merged cells and defined names; other contents are left out with a
//! warning.

mod byte_reader;
mod compound_file;
mod formula_tokens;
mod function_table;
mod shared_strings;
mod sheet_builder;
mod xls;
mod xlsb;

use crate::contents::Contents;
use crate::limits::NAMES_MAX;

pub(crate) use xls::read as read_xls;
pub(crate) use xlsb::read as read_xlsb;

/// Adds defined names with the sheet that they belong to and their definitions.
fn put_names(names: impl Iterator<Item = (String, Option<String>, Option<String>)>, contents: &mut Contents) {
    let mut left_out = 0;
    for (name, scope, definition) in names {
        match definition {
            Some(definition) if contents.names.len() < NAMES_MAX => {
                let name = match scope {
                    Some(sheet) => format!("'{}'!{name}", sheet.replace('\'', "''")),
                    None => name,
                };
                contents.names.push((name, definition));
            }
            // Excel defines names for functions that are newer than the format.
            _ if name.starts_with("_xl") => {}
            _ => left_out += 1,
        }
    }
    if left_out > 0 {
        contents.warn(format!("left out: {left_out} defined names"));
    }
}

/// Names what no reader of this format reads, and what this file has of it.
fn warn_about_losses(extension: &str, has_macros: bool, formulas_left_out: u64, contents: &mut Contents) {
    if formulas_left_out > 0 {
        contents.warn(format!("left out: {formulas_left_out} formulas, whose values were kept"));
    }
    if has_macros {
        contents.warn("left out: macros".to_owned());
    }
    contents.warn(format!(
        "left out: fonts, colors, borders, charts, images, notes and other items, which .{extension} files \
         are read without"
    ));
}
