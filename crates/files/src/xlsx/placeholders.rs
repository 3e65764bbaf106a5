//! Text boxes that `rust_xlsxwriter` writes in the place of objects that it does not support. They have the
//! position and size, and are replaced by the objects afterwards.

use std::collections::BTreeSet;

use rust_xlsxwriter as xlsx;

use crate::shapes::UNITS_PER_PIXEL;

/// The namespace of alternatives for programs that know a namespace (ECMA-376 part 3).
pub(super) const COMPATIBILITY: &str = "http://schemas.openxmlformats.org/markup-compatibility/2006";
const ANCHOR: &str = "<xdr:twoCellAnchor";
const ANCHOR_END: &str = "</xdr:twoCellAnchor>";

/// The placeholders of a sheet.
#[derive(Default)]
pub(super) struct Placeholders {
    corners: BTreeSet<(u32, u16, u32, u32)>,
}

/// What becomes of a placeholder.
pub(super) enum Replacement {
    /// It is left for others.
    Keep,
    Remove,
    /// XML of another object.
    Object(String),
    /// XML of another object, and what stands before and after its anchor.
    Alternative {
        start: String,
        object: String,
        end: String,
    },
}

impl Placeholders {
    /// Adds a placeholder at an offset in pixels from the corner of a cell. `name` is how it is found again.
    pub fn add(
        &mut self,
        target: &mut xlsx::Worksheet,
        (row, column): (u32, u16),
        (mut x, y): (u32, u32),
        name: &str,
        shape: xlsx::Shape,
    ) -> Result<(), xlsx::XlsxError> {
        // `rust_xlsxwriter` keeps one shape at a position.
        while !self.corners.insert((row, column, x, y)) {
            x += 1;
        }
        target.insert_shape_with_offset(row, column, &shape.set_alt_text(name), x, y).map(drop)
    }
}

/// The drawing with its placeholders in the order of their numbers, which is that in which objects cover one
/// another; `rust_xlsxwriter` writes them by their cells. `number` is that of a name.
pub(super) fn sorted(text: &str, number: impl Fn(&str) -> Option<usize>) -> String {
    let mut pieces = text.split(ANCHOR);
    let start = pieces.next().unwrap_or_default();
    let mut pieces: Vec<(&str, &str)> =
        pieces.map(|piece| piece.split_once(ANCHOR_END).unwrap_or((piece, ""))).collect();
    let of = |(anchor, _): &(&str, &str)| value_of(anchor, "descr").and_then(&number);
    let places: Vec<usize> = (0..pieces.len()).filter(|place| of(&pieces[*place]).is_some()).collect();
    let mut anchors: Vec<(Option<usize>, &str)> =
        places.iter().map(|place| (of(&pieces[*place]), pieces[*place].0)).collect();
    anchors.sort();
    for (place, (_, anchor)) in places.into_iter().zip(anchors) {
        pieces[place].0 = anchor;
    }
    let pieces = pieces.into_iter().map(|(anchor, rest)| format!("{ANCHOR}{anchor}{ANCHOR_END}{rest}"));
    format!("{start}{}", pieces.collect::<String>())
}

/// Width and height in pixels below which `rust_xlsxwriter` writes others.
const SIDE_MIN: f64 = 5.0;

/// The drawing with the ends of anchors that are as thin as lines. `size` is that of a name's anchor in pixels.
pub(super) fn thinned(text: &str, size: impl Fn(&str) -> Option<(f64, f64)>) -> String {
    let mut pieces = text.split(ANCHOR);
    let mut changed = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        changed += ANCHOR;
        let parts = piece.split_once("<xdr:to>").and_then(|(start, rest)| {
            let (end, rest) = rest.split_once("</xdr:to>")?;
            Some((start, end, rest, size(value_of(rest, "descr")?)?))
        });
        match parts {
            Some((start, end, rest, (width, height))) if width.min(height) < SIDE_MIN => {
                let corner = |name: &str, offset: &str, pixels: f64| {
                    let (cell, units) = match pixels < SIDE_MIN {
                        // Past the end of a row or column, programs go to its end.
                        true => (content(start, name)?, after(content(start, offset)?, pixels)?),
                        false => (content(end, name)?, content(end, offset)?.to_owned()),
                    };
                    Some(format!("<xdr:{name}>{cell}</xdr:{name}><xdr:{offset}>{units}</xdr:{offset}>"))
                };
                let new = corner("col", "colOff", width).zip(corner("row", "rowOff", height));
                let new = new.map_or_else(|| end.to_owned(), |(column, row)| column + &row);
                changed += &format!("{start}<xdr:to>{new}</xdr:to>{rest}");
            }
            _ => changed += piece,
        }
    }
    changed
}

/// An offset in EMU that is this many pixels further.
fn after(offset: &str, pixels: f64) -> Option<String> {
    let units = offset.parse::<i64>().ok()? + (pixels * UNITS_PER_PIXEL).round() as i64;
    Some(units.to_string())
}

/// The text of the first element with this name.
fn content<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<xdr:{name}>"))?;
    Some(rest.split_once('<')?.0)
}

/// The drawing with its placeholders replaced: `replace` gets the name and the XML of each.
pub(super) fn replaced(text: &str, replace: impl Fn(&str, &str) -> Replacement) -> String {
    const SHAPE_END: &str = "</xdr:sp>";
    let mut pieces = text.split(ANCHOR);
    let mut changed = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        // An object that has replaced a placeholder has more than one start.
        let shape = piece.find("<xdr:sp ").zip(piece.rfind(SHAPE_END));
        let found = shape.and_then(|(start, end)| {
            let end = end + SHAPE_END.len();
            let shape = piece.get(start..end)?;
            Some((start, end, shape, value_of(shape, "descr")?))
        });
        let replacement = found.map_or(Replacement::Keep, |(.., shape, name)| replace(name, shape));
        match (replacement, found) {
            (Replacement::Object(object), Some((start, end, ..))) => {
                changed += ANCHOR;
                changed += &piece[..start];
                changed += &object;
                changed += &piece[end..];
            }
            (Replacement::Alternative { start: before, object, end: after }, Some((start, end, ..))) => {
                let (rest, others) = piece[end..].split_once(ANCHOR_END).unwrap_or((&piece[end..], ""));
                changed +=
                    &format!("{before}{ANCHOR}{}{object}{rest}{ANCHOR_END}{after}{others}", &piece[..start]);
            }
            (Replacement::Remove, _) => {
                changed += piece.split_once(ANCHOR_END).map_or("", |(_, after)| after);
            }
            _ => {
                changed += ANCHOR;
                changed += piece;
            }
        }
    }
    changed
}

/// The value of the first attribute with this name.
pub(super) fn value_of<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!(" {name}=\""))?;
    Some(rest.split_once('"')?.0)
}
