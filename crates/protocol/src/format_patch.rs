//! Encoding of format attributes.

use std::sync::Arc;

use quadrille_workbook::{
    Border, BorderStyle, Color, FillPattern, FontScript, FontSize, FormatPatch, HorizontalAlignment, ItemId,
    Overflow, ReadingOrder, Rotation, TextFont, TextFormat, TextRun, TextRuns, UnderlineStyle,
    VerticalAlignment,
};

use crate::bytes::{DecodeError, Reader, Writer};
use crate::limits::TEXT_RUNS_MAX;
use crate::ranges::read_flag;

/// Writes a bit set of the attributes that are set, in the order of the struct from the lowest bit,
/// then the value of each.
pub(crate) fn write_patch(writer: &mut Writer, patch: &FormatPatch) {
    let flags = [patch.bold, patch.italic, patch.underline, patch.strikethrough, patch.wrap];
    let borders = [patch.border_top, patch.border_right, patch.border_bottom, patch.border_left];
    // The bit 28 is that of the style, and the attributes after it are shifted by one.
    let attributes = u64::from(patch.attributes());
    let low = attributes & ((1 << 28) - 1);
    let given = low | u64::from(patch.cell_style.is_some()) << 28 | (attributes - low) << 1;
    writer.varint(given);
    if let Some(number_format) = &patch.number_format {
        writer.byte(number_format.is_some().into());
        if let Some(code) = number_format {
            writer.text(code);
        }
    }
    for flag in flags.into_iter().flatten() {
        writer.byte(flag.into());
    }
    if let Some(horizontal) = patch.horizontal {
        writer.byte(match horizontal {
            None => 0,
            Some(HorizontalAlignment::Left) => 1,
            Some(HorizontalAlignment::Center) => 2,
            Some(HorizontalAlignment::Right) => 3,
            Some(HorizontalAlignment::Justify) => 4,
            Some(HorizontalAlignment::Distributed) => 5,
            Some(HorizontalAlignment::Fill) => 6,
            Some(HorizontalAlignment::CenterContinuous) => 7,
        });
    }
    if let Some(vertical) = patch.vertical {
        writer.byte(match vertical {
            None => 0,
            Some(VerticalAlignment::Top) => 1,
            Some(VerticalAlignment::Middle) => 2,
            Some(VerticalAlignment::Bottom) => 3,
            Some(VerticalAlignment::Justify) => 4,
            Some(VerticalAlignment::Distributed) => 5,
        });
    }
    for color in [patch.text_color, patch.fill_color].into_iter().flatten() {
        write_color(writer, color);
    }
    for border in borders.into_iter().flatten() {
        write_border(writer, border);
    }
    if let Some(family) = &patch.font_family {
        writer.byte(family.is_some().into());
        if let Some(family) = family {
            writer.text(family);
        }
    }
    if let Some(size) = patch.font_size {
        writer.varint(size.map_or(0, |FontSize(tenths)| tenths.into()));
    }
    if let Some(indent) = patch.indent {
        writer.byte(indent);
    }
    if let Some(rotation) = patch.rotation {
        writer.zigzag(rotation.degrees().into());
    }
    if let Some(overflow) = patch.overflow {
        writer.byte(match overflow {
            None => 0,
            Some(Overflow::Clip) => 1,
            Some(Overflow::Shrink) => 2,
        });
    }
    if let Some(text_format) = patch.text_format {
        writer.byte(match text_format {
            None => 0,
            Some(TextFormat::Html) => 1,
            Some(TextFormat::Wiki) => 2,
            Some(TextFormat::Link) => 3,
            Some(TextFormat::Image) => 4,
        });
    }
    if let Some(style) = patch.underline_style {
        writer.byte(match style {
            None => 0,
            Some(UnderlineStyle::Double) => 1,
            Some(UnderlineStyle::SingleAccounting) => 2,
            Some(UnderlineStyle::DoubleAccounting) => 3,
        });
    }
    if let Some(script) = patch.script {
        writer.byte(match script {
            None => 0,
            Some(FontScript::Superscript) => 1,
            Some(FontScript::Subscript) => 2,
        });
    }
    for border in [patch.border_diagonal_up, patch.border_diagonal_down].into_iter().flatten() {
        write_border(writer, border);
    }
    if let Some(pattern) = patch.fill_pattern {
        let number = pattern.and_then(|pattern| FillPattern::ALL.iter().position(|known| *known == pattern));
        writer.byte(number.map_or(0, |number| number as u8 + 1)); // seventeen patterns
    }
    if let Some(color) = patch.fill_pattern_color {
        write_color(writer, color);
    }
    if let Some(quote_prefix) = patch.quote_prefix {
        writer.byte(quote_prefix.into());
    }
    if let Some(order) = patch.reading_order {
        writer.byte(match order {
            None => 0,
            Some(ReadingOrder::LeftToRight) => 1,
            Some(ReadingOrder::RightToLeft) => 2,
        });
    }
    if let Some(style) = patch.cell_style {
        // The item 0 is the settings, so 0 is free for "Normal".
        writer.varint(style.map_or(0, |id| id.0));
    }
    if let Some(text_runs) = &patch.text_runs {
        // The number of runs, the hash of the text, then length and font of each run (`TextFont`).
        let runs = text_runs.as_ref().map_or(&[][..], |text_runs| text_runs.runs());
        writer.varint(runs.len() as u64);
        if let Some(text_runs) = text_runs {
            writer.varint(text_runs.text_hash().into());
        }
        for run in runs {
            let (bits, color, size, family) = run.font.stored();
            for number in [run.length, bits, color, size.into(), family.is_some().into()] {
                writer.varint(number.into());
            }
            if let Some(family) = family {
                writer.text(family);
            }
        }
    }
}

fn write_border(writer: &mut Writer, border: Option<Border>) {
    match border {
        None => writer.byte(0),
        Some(Border { style, color }) => {
            let number = BorderStyle::ALL.iter().position(|known| *known == style);
            writer.byte(number.map_or(0, |number| number as u8 + 1)); // thirteen styles
            write_color(writer, color);
        }
    }
}

fn read_border(reader: &mut Reader) -> Result<Option<Border>, DecodeError> {
    Ok(match reader.bounded("style of a border", BorderStyle::ALL.len() as u64)? {
        0 => None,
        number => {
            let style = BorderStyle::ALL[number as usize - 1];
            Some(Border { style, color: read_color(reader)? })
        }
    })
}

/// Writes the color + 1, or 0 for no color.
fn write_color(writer: &mut Writer, color: Option<Color>) {
    writer.varint(color.map_or(0, |Color(rgb)| u64::from(rgb) + 1));
}

fn read_color(reader: &mut Reader) -> Result<Option<Color>, DecodeError> {
    let rgb = reader.bounded("colour", 0xff_ffff + 1)?;
    Ok(rgb.checked_sub(1).map(|rgb| Color(rgb as u32)))
}

pub(crate) fn read_patch(reader: &mut Reader) -> Result<FormatPatch, DecodeError> {
    let given = reader.bounded("attributes of a format", (1 << 30) - 1)?;
    let has = |bit: u32| given >> bit & 1 == 1;
    let mut patch = FormatPatch::default();
    if has(0) {
        patch.number_format = Some(if read_flag(reader)? { Some(reader.text()?) } else { None });
    }
    for (bit, flag) in [
        (1, &mut patch.bold),
        (2, &mut patch.italic),
        (3, &mut patch.underline),
        (4, &mut patch.strikethrough),
        (5, &mut patch.wrap),
    ] {
        if has(bit) {
            *flag = Some(read_flag(reader)?);
        }
    }
    if has(6) {
        patch.horizontal = Some(match reader.bounded("alignment", 7)? {
            0 => None,
            1 => Some(HorizontalAlignment::Left),
            2 => Some(HorizontalAlignment::Center),
            3 => Some(HorizontalAlignment::Right),
            4 => Some(HorizontalAlignment::Justify),
            5 => Some(HorizontalAlignment::Distributed),
            6 => Some(HorizontalAlignment::Fill),
            _ => Some(HorizontalAlignment::CenterContinuous),
        });
    }
    if has(7) {
        patch.vertical = Some(match reader.bounded("alignment", 5)? {
            0 => None,
            1 => Some(VerticalAlignment::Top),
            2 => Some(VerticalAlignment::Middle),
            3 => Some(VerticalAlignment::Bottom),
            4 => Some(VerticalAlignment::Justify),
            _ => Some(VerticalAlignment::Distributed),
        });
    }
    for (bit, color) in [(8, &mut patch.text_color), (9, &mut patch.fill_color)] {
        if has(bit) {
            *color = Some(read_color(reader)?);
        }
    }
    for (bit, border) in [
        (10, &mut patch.border_top),
        (11, &mut patch.border_right),
        (12, &mut patch.border_bottom),
        (13, &mut patch.border_left),
    ] {
        if has(bit) {
            *border = Some(read_border(reader)?);
        }
    }
    if has(14) {
        patch.font_family = Some(if read_flag(reader)? { Some(reader.text()?) } else { None });
    }
    if has(15) {
        patch.font_size = Some(match reader.bounded("font size", FontSize::MAX.0.into())? as u16 {
            0 => None,
            tenths if tenths < FontSize::MIN.0 => {
                return Err(DecodeError::OutOfBounds { what: "font size", value: tenths.into() });
            }
            tenths => Some(FontSize(tenths)),
        });
    }
    if has(16) {
        patch.indent = Some(reader.byte()?);
    }
    if has(17) {
        let degrees = reader.zigzag()?;
        let rotation = i16::try_from(degrees).ok().and_then(Rotation::new);
        let bad = DecodeError::OutOfBounds { what: "rotation", value: degrees.unsigned_abs() };
        patch.rotation = Some(rotation.ok_or(bad)?);
    }
    if has(18) {
        patch.overflow = Some(match reader.bounded("overflow", 2)? {
            0 => None,
            1 => Some(Overflow::Clip),
            _ => Some(Overflow::Shrink),
        });
    }
    if has(19) {
        patch.text_format = Some(match reader.bounded("text format", 4)? {
            0 => None,
            1 => Some(TextFormat::Html),
            2 => Some(TextFormat::Wiki),
            3 => Some(TextFormat::Link),
            _ => Some(TextFormat::Image),
        });
    }
    if has(20) {
        patch.underline_style = Some(match reader.bounded("underline style", 3)? {
            0 => None,
            1 => Some(UnderlineStyle::Double),
            2 => Some(UnderlineStyle::SingleAccounting),
            _ => Some(UnderlineStyle::DoubleAccounting),
        });
    }
    if has(21) {
        patch.script = Some(match reader.bounded("superscript or subscript", 2)? {
            0 => None,
            1 => Some(FontScript::Superscript),
            _ => Some(FontScript::Subscript),
        });
    }
    for (bit, border) in [(22, &mut patch.border_diagonal_up), (23, &mut patch.border_diagonal_down)] {
        if has(bit) {
            *border = Some(read_border(reader)?);
        }
    }
    if has(24) {
        patch.fill_pattern = Some(match reader.bounded("fill pattern", FillPattern::ALL.len() as u64)? {
            0 => None,
            number => Some(FillPattern::ALL[number as usize - 1]),
        });
    }
    if has(25) {
        patch.fill_pattern_color = Some(read_color(reader)?);
    }
    if has(26) {
        patch.quote_prefix = Some(read_flag(reader)?);
    }
    if has(27) {
        patch.reading_order = Some(match reader.bounded("reading order", 2)? {
            0 => None,
            1 => Some(ReadingOrder::LeftToRight),
            _ => Some(ReadingOrder::RightToLeft),
        });
    }
    if has(28) {
        let id = reader.bounded("cell style", ItemId::MAX)?;
        patch.cell_style = Some((id != 0).then_some(ItemId(id)));
    }
    if has(29) {
        patch.text_runs = Some(read_text_runs(reader)?.map(Arc::new));
    }
    Ok(patch)
}

fn read_text_runs(reader: &mut Reader) -> Result<Option<TextRuns>, DecodeError> {
    let count = reader.count("parts of a text", TEXT_RUNS_MAX)?;
    if count == 0 {
        return Ok(None);
    }
    let hash = reader.varint32("hash of a text")?;
    let bad = || DecodeError::OutOfBounds { what: "font of a part of a text", value: hash.into() };
    let mut runs = Vec::new();
    for _ in 0..count {
        let length = reader.varint32("length of a part of a text")?;
        let (bits, color) = (reader.varint32("font")?, reader.varint32("font")?);
        let size = reader.bounded("font size", u16::MAX.into())? as u16;
        let family = if read_flag(reader)? { Some(reader.text()?) } else { None };
        let font = TextFont::from_stored(bits, color, size, family).ok_or_else(bad)?;
        runs.push(TextRun { length, font });
    }
    TextRuns::from_stored(hash, runs).map(Some).ok_or_else(bad)
}
