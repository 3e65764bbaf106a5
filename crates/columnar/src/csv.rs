//! Comma-separated values (RFC 4180) of a frame: numbers with full precision, dates in ISO 8601.

use quadrille_number_format::date::{Civil, civil_from_serial};

use crate::data_frame::{ColumnValues, DataFrame, Header};

/// Serial number of 1970-01-01 in the 1900 date system.
const UNIX_EPOCH: i64 = 25_569;
const DAY_MS: i64 = 86_400_000;

/// Writes a frame as comma-separated values, with the names of columns unless they are letters.
pub fn write_csv(frame: &DataFrame, header: Header) -> String {
    let mut text = String::new();
    if header == Header::FirstRow {
        write_row(&mut text, frame.columns.iter().map(|column| column.name.clone()));
    }
    for row in 0..frame.rows {
        write_row(&mut text, frame.columns.iter().map(|column| field(&column.values, row)));
    }
    text
}

fn write_row(text: &mut String, fields: impl Iterator<Item = String>) {
    for (index, field) in fields.enumerate() {
        if index > 0 {
            text.push(',');
        }
        match field.contains(['"', ',', '\n', '\r']) {
            true => text.extend(["\"", &field.replace('"', "\"\""), "\""]),
            false => text.push_str(&field),
        }
    }
    text.push_str("\r\n");
}

fn field(values: &ColumnValues, row: usize) -> String {
    match values {
        ColumnValues::Numbers(values) => values[row].map(|number| number.to_string()),
        ColumnValues::Booleans(values) => values[row].map(|boolean| boolean.to_string()),
        ColumnValues::Times(values) => values[row].map(iso_8601),
        ColumnValues::Texts(values) => values[row].clone(),
    }
    .unwrap_or_default()
}

/// A date, with the time of day unless it is midnight.
fn iso_8601(time_ms: i64) -> String {
    let (day, time) = (time_ms.div_euclid(DAY_MS), time_ms.rem_euclid(DAY_MS));
    // Numbers before the 29 February 1900, which did not exist, are one lower.
    let serial = day + UNIX_EPOCH;
    let serial = if serial <= 60 { serial - 1 } else { serial };
    let Some(Civil { year, month, day }) = civil_from_serial(serial) else { return String::new() };
    let date = format!("{year:04}-{month:02}-{day:02}");
    let (seconds, milliseconds) = (time / 1_000, time % 1_000);
    let clock = format!("T{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60);
    match (seconds, milliseconds) {
        (0, 0) => date,
        (_, 0) => date + &clock,
        _ => format!("{date}{clock}.{milliseconds:03}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_iso_8601() {
        for (time_ms, expected) in [
            (0, "1970-01-01"),
            (1_704_110_400_000, "2024-01-01T12:00:00"),
            (1_704_110_400_250, "2024-01-01T12:00:00.250"),
            (-2_208_988_800_000, "1900-01-01"),
            (-2_203_891_200_000, "1900-03-01"),
        ] {
            assert_eq!(iso_8601(time_ms), expected);
        }
    }
}
