//! File formats and their detection.

/// A file format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileFormat {
    Csv,
    Tsv,
    /// An array of rows, each an array of texts; `csv.json` in EtherCalc.
    CsvJson,
    /// A workbook in Quadrille's JSON format; when reading, also an array of records or of rows.
    Json,
    Xlsx,
    /// Binary workbook of Excel 97 to 2003; read only.
    Xls,
    /// Binary workbook of later versions; read only.
    Xlsb,
    /// OpenDocument spreadsheet (LibreOffice and others).
    Ods,
    /// OpenDocument spreadsheet as one XML document ("flat").
    Fods,
    Html,
    Markdown,
    /// The save format of SocialCalc and EtherCalc.
    SocialCalc,
}

/// File extensions and media types of a format.
struct Names {
    format: FileFormat,
    /// The first one is used for writing. Longer extensions come before the ones they end with.
    extensions: &'static [&'static str],
    media_types: &'static [&'static str],
}

const NAMES: [Names; 12] = [
    Names { format: FileFormat::CsvJson, extensions: &["csv.json"], media_types: &[] },
    Names { format: FileFormat::Json, extensions: &["json"], media_types: &["application/json"] },
    Names {
        format: FileFormat::Csv,
        extensions: &["csv"],
        media_types: &["text/csv", "application/csv", "application/vnd.ms-excel"],
    },
    Names {
        format: FileFormat::Tsv,
        extensions: &["tsv", "tab"],
        media_types: &["text/tab-separated-values", "text/tsv"],
    },
    Names {
        format: FileFormat::Xlsx,
        extensions: &["xlsx", "xlsm"],
        media_types: &[
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            "application/vnd.ms-excel.sheet.macroEnabled.12",
        ],
    },
    Names { format: FileFormat::Xls, extensions: &["xls", "xlt"], media_types: &[] },
    Names {
        format: FileFormat::Xlsb,
        extensions: &["xlsb"],
        media_types: &["application/vnd.ms-excel.sheet.binary.macroEnabled.12"],
    },
    Names {
        format: FileFormat::Ods,
        extensions: &["ods"],
        media_types: &["application/vnd.oasis.opendocument.spreadsheet"],
    },
    Names {
        format: FileFormat::Fods,
        extensions: &["fods"],
        media_types: &["application/vnd.oasis.opendocument.spreadsheet-flat-xml"],
    },
    Names { format: FileFormat::Html, extensions: &["html", "htm"], media_types: &["text/html"] },
    Names {
        format: FileFormat::Markdown,
        extensions: &["md", "markdown"],
        media_types: &["text/markdown", "text/x-markdown"],
    },
    Names {
        format: FileFormat::SocialCalc,
        extensions: &["socialcalc", "msc", "sc"],
        media_types: &["text/x-socialcalc"],
    },
];

/// What a compound file begins with: an `.xls` workbook, or a workbook of any kind with a password.
pub(crate) const COMPOUND_FILE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
/// The part of an `.xlsb` archive that other workbooks do not have.
pub(crate) const XLSB_WORKBOOK: &str = "xl/workbook.bin";
const ODS: &[u8] = b"application/vnd.oasis.opendocument.spreadsheet";

impl FileFormat {
    /// Detects the format from a file name such as `Budget.XLSX` or `rows.csv.json`.
    pub fn from_name(name: &str) -> Option<FileFormat> {
        let name = name.to_ascii_lowercase();
        let has = |extension: &str| name.strip_suffix(extension).is_some_and(|rest| rest.ends_with('.'));
        NAMES
            .iter()
            .find(|names| names.extensions.iter().any(|extension| has(extension)))
            .map(|names| names.format)
    }

    /// Detects the format from a `Content-Type`; parameters such as `charset` are ignored.
    pub fn from_media_type(media_type: &str) -> Option<FileFormat> {
        let bare = media_type.split(';').next().unwrap_or_default().trim();
        let is = |candidate: &str| candidate.eq_ignore_ascii_case(bare);
        NAMES
            .iter()
            .find(|names| names.media_types.iter().any(|candidate| is(candidate)))
            .map(|names| names.format)
    }

    /// Guesses the format from the first bytes. Returns `None` for binary files of other types.
    pub fn from_content(bytes: &[u8]) -> Option<FileFormat> {
        let head = &bytes[..bytes.len().min(4_096)];
        let text = String::from_utf8_lossy(head);
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if head.starts_with(b"PK\x03\x04") {
            // The first entry of an .ods archive is uncompressed and contains the media type.
            let is_ods = head.windows(ODS.len()).take(128).any(|window| window == ODS);
            Some(if is_ods {
                FileFormat::Ods
            } else if has_entry(bytes, XLSB_WORKBOOK) {
                FileFormat::Xlsb
            } else {
                FileFormat::Xlsx
            })
        } else if head.starts_with(COMPOUND_FILE) {
            Some(FileFormat::Xls)
        } else if text.starts_with("socialcalc:version:") || text.starts_with("version:1.") {
            Some(FileFormat::SocialCalc)
        } else if text.starts_with('[') || text.starts_with('{') {
            Some(FileFormat::Json)
        } else if head.contains(&0) && !head.starts_with(b"\xff\xfe") && !head.starts_with(b"\xfe\xff") {
            None
        } else {
            Some(FileFormat::Csv)
        }
    }

    /// Whether written files have the images over the cells.
    pub fn has_images(self) -> bool {
        matches!(self, FileFormat::Xlsx | FileFormat::Ods | FileFormat::Fods)
    }

    fn names(self) -> &'static Names {
        NAMES.iter().find(|names| names.format == self).expect("every format has its row in NAMES")
    }

    /// The file extension, without a dot.
    pub fn extension(self) -> &'static str {
        self.names().extensions[0]
    }

    /// The `Content-Type` for responses.
    pub fn media_type(self) -> &'static str {
        match self {
            FileFormat::Csv => "text/csv; charset=utf-8",
            FileFormat::Tsv => "text/tab-separated-values; charset=utf-8",
            FileFormat::CsvJson | FileFormat::Json => "application/json",
            FileFormat::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            FileFormat::Xls => "application/vnd.ms-excel",
            FileFormat::Xlsb => "application/vnd.ms-excel.sheet.binary.macroEnabled.12",
            FileFormat::Ods => "application/vnd.oasis.opendocument.spreadsheet",
            FileFormat::Fods => "application/vnd.oasis.opendocument.spreadsheet-flat-xml",
            FileFormat::Html => "text/html; charset=utf-8",
            FileFormat::Markdown => "text/markdown; charset=utf-8",
            FileFormat::SocialCalc => "text/plain; charset=utf-8",
        }
    }

    /// Whether files of this format can be read.
    pub fn can_read(self) -> bool {
        !matches!(self, FileFormat::Fods | FileFormat::Html | FileFormat::Markdown)
    }

    /// Whether files of this format can be written.
    pub fn can_write(self) -> bool {
        !matches!(self, FileFormat::Xls | FileFormat::Xlsb)
    }

    /// The extensions of all formats, for help texts.
    pub fn all_extensions() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|names| names.extensions[0])
    }
}

/// Whether the archive lists an entry with this name. The list is at the end.
fn has_entry(bytes: &[u8], name: &str) -> bool {
    let tail = &bytes[bytes.len().saturating_sub(ENTRIES_SEARCHED)..];
    tail.windows(name.len()).any(|window| window == name.as_bytes())
}

/// Bytes at the end of an archive that list about 1,500 entries, those of a large workbook.
const ENTRIES_SEARCHED: usize = 128 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_detected_by_name_media_type_and_content() {
        for (name, format) in [
            ("a.csv", Some(FileFormat::Csv)),
            ("A.B.XLSX", Some(FileFormat::Xlsx)),
            ("rows.csv.json", Some(FileFormat::CsvJson)),
            ("rows.json", Some(FileFormat::Json)),
            ("old.xls", Some(FileFormat::Xls)),
            ("large.xlsb", Some(FileFormat::Xlsb)),
            ("csv", None),
            ("notes.doc", None),
        ] {
            assert_eq!(FileFormat::from_name(name), format, "{name}");
        }
        for (media_type, format) in [
            ("text/csv; charset=utf-8", Some(FileFormat::Csv)),
            ("TEXT/X-SOCIALCALC", Some(FileFormat::SocialCalc)),
            ("image/png", None),
        ] {
            assert_eq!(FileFormat::from_media_type(media_type), format, "{media_type}");
        }
        for (content, format) in [
            (&b"PK\x03\x04...."[..], Some(FileFormat::Xlsx)),
            (b"PK\x03\x04....mimetypeapplication/vnd.oasis.opendocument.spreadsheet", Some(FileFormat::Ods)),
            (b"socialcalc:version:1.0\n", Some(FileFormat::SocialCalc)),
            (b" [1]", Some(FileFormat::Json)),
            (b"\xff\xfea\0", Some(FileFormat::Csv)),
            (b"PK\x03\x04....PK\x01\x02....xl/workbook.bin....", Some(FileFormat::Xlsb)),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", Some(FileFormat::Xls)),
            (b"\x89PNG\0", None),
        ] {
            assert_eq!(FileFormat::from_content(content), format, "{content:?}");
        }
    }
}
