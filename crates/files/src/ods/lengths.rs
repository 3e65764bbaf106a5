//! Lengths in the units of XSL-FO.

/// CSS pixels per point.
pub(super) const POINT_PX: f64 = 96.0 / 72.0;

/// Parses a length; the result is in points.
pub(super) fn length(text: Option<String>) -> Option<f64> {
    let text = text?;
    let at = text.find(|c: char| c.is_ascii_alphabetic())?;
    let number: f64 = text[..at].parse().ok()?;
    let unit = match &text[at..] {
        "pt" => 1.0,
        "cm" => 72.0 / 2.54,
        "mm" => 72.0 / 25.4,
        "in" => 72.0,
        "px" => 0.75,
        "pc" => 12.0,
        _ => return None,
    };
    Some(number * unit).filter(|points| points.is_finite() && *points >= 0.0)
}
