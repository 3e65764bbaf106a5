//! Encoding of format attributes.

use quadrille_workbook::{
    Border, BorderStyle, Color, FontSize, FormatPatch, HorizontalAlignment, Overflow, Rotation, TextFormat,
    VerticalAlignment,
};

use crate::bytes::{DecodeError, Reader, Writer};
use crate::ranges::read_flag;

/// Writes a bit set of the attributes that are set, in the order of the struct from the lowest bit,
/// then the value of each.
pub(crate) fn write_patch(writer: &mut Writer, patch: &FormatPatch) {
    let flags = [patch.bold, patch.italic, patch.underline, patch.strikethrough, patch.wrap];
    let mut given = u64::from(patch.number_format.is_some());
    for (index, flag) in flags.iter().enumerate() {
        given |= u64::from(flag.is_some()) << (1 + index);
    }
    given |= u64::from(patch.horizontal.is_some()) << 6;
    given |= u64::from(patch.vertical.is_some()) << 7;
    given |= u64::from(patch.text_color.is_some()) << 8;
    given |= u64::from(patch.fill_color.is_some()) << 9;
    let borders = [patch.border_top, patch.border_right, patch.border_bottom, patch.border_left];
    for (index, border) in borders.iter().enumerate() {
        given |= u64::from(border.is_some()) << (10 + index);
    }
    given |= u64::from(patch.font_family.is_some()) << 14;
    given |= u64::from(patch.font_size.is_some()) << 15;
    given |= u64::from(patch.indent.is_some()) << 16;
    given |= u64::from(patch.rotation.is_some()) << 17;
    given |= u64::from(patch.overflow.is_some()) << 18;
    given |= u64::from(patch.text_format.is_some()) << 19;
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
        });
    }
    if let Some(vertical) = patch.vertical {
        writer.byte(match vertical {
            None => 0,
            Some(VerticalAlignment::Top) => 1,
            Some(VerticalAlignment::Middle) => 2,
            Some(VerticalAlignment::Bottom) => 3,
        });
    }
    for color in [patch.text_color, patch.fill_color].into_iter().flatten() {
        write_color(writer, color);
    }
    for border in borders.into_iter().flatten() {
        match border {
            None => writer.byte(0),
            Some(Border { style, color }) => {
                let number = BorderStyle::ALL.iter().position(|known| *known == style);
                writer.byte(number.map_or(0, |number| number as u8 + 1)); // thirteen styles
                write_color(writer, color);
            }
        }
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
    let given = reader.bounded("attributes of a format", (1 << 20) - 1)?;
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
        patch.horizontal = Some(match reader.bounded("alignment", 3)? {
            0 => None,
            1 => Some(HorizontalAlignment::Left),
            2 => Some(HorizontalAlignment::Center),
            _ => Some(HorizontalAlignment::Right),
        });
    }
    if has(7) {
        patch.vertical = Some(match reader.bounded("alignment", 3)? {
            0 => None,
            1 => Some(VerticalAlignment::Top),
            2 => Some(VerticalAlignment::Middle),
            _ => Some(VerticalAlignment::Bottom),
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
            *border = Some(match reader.bounded("style of a border", BorderStyle::ALL.len() as u64)? {
                0 => None,
                number => {
                    let style = BorderStyle::ALL[number as usize - 1];
                    Some(Border { style, color: read_color(reader)? })
                }
            });
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
    Ok(patch)
}
