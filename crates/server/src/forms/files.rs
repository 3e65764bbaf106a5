//! Files as answers: which ones a question accepts. They are stored beside the workbook
//! (`rooms/files.rs`), and only downloaded, never opened as pages.

use bytes::Bytes;
use quadrille_access::{FileKind, FormQuestion};

use super::file_texts::FileTexts;
use super::html::filled;
use crate::limits;

/// Longest name of a file, in characters.
const NAME_CHARACTERS_MAX: usize = 120;
/// Bytes of a megabyte, as people and operating systems count them here.
const MEGABYTE: usize = 1 << 20;

/// A file of a response, with the name that it is stored under.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SentFile {
    pub name: String,
    pub bytes: Bytes,
}

/// What a question accepts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileRules {
    /// In the order of [`FileKind::ALL`], never empty.
    pub kinds: Vec<FileKind>,
    pub bytes_max: usize,
}

/// A type of file: the ends of its names, and bytes that it begins with.
struct FileType {
    kind: FileKind,
    extensions: &'static [&'static str],
    /// Position and bytes of one of several marks; without marks it is a text.
    marks: &'static [(usize, &'static [u8])],
}

const fn file_type(
    kind: FileKind,
    extensions: &'static [&'static str],
    marks: &'static [(usize, &'static [u8])],
) -> FileType {
    FileType { kind, extensions, marks }
}

const ZIP: (usize, &[u8]) = (0, b"PK\x03\x04");
/// The compound files of Office before 2007.
const COMPOUND: (usize, &[u8]) = (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1");
/// ISO base media files, such as MP4 and HEIC.
const ISO_MEDIA: (usize, &[u8]) = (4, b"ftyp");

/// The types that are accepted. Programs, documents with macros, SVG and HTML are not among them.
static TYPES: &[FileType] = &[
    file_type(FileKind::Pdf, &["pdf"], &[(0, b"%PDF-")]),
    file_type(FileKind::Image, &["png"], &[(0, b"\x89PNG\r\n\x1a\n")]),
    file_type(FileKind::Image, &["jpg", "jpeg"], &[(0, b"\xff\xd8\xff")]),
    file_type(FileKind::Image, &["gif"], &[(0, b"GIF87a"), (0, b"GIF89a")]),
    file_type(FileKind::Image, &["webp"], &[(8, b"WEBP")]),
    file_type(FileKind::Image, &["heic", "heif", "avif"], &[ISO_MEDIA]),
    file_type(FileKind::Image, &["tif", "tiff"], &[(0, b"II*\0"), (0, b"MM\0*")]),
    file_type(FileKind::Document, &["docx", "odt", "pages"], &[ZIP]),
    file_type(FileKind::Document, &["doc"], &[COMPOUND]),
    file_type(FileKind::Document, &["rtf"], &[(0, b"{\\rtf")]),
    file_type(FileKind::Spreadsheet, &["xlsx", "ods", "numbers"], &[ZIP]),
    file_type(FileKind::Spreadsheet, &["xls"], &[COMPOUND]),
    file_type(FileKind::Spreadsheet, &["csv", "tsv"], &[]),
    file_type(FileKind::Presentation, &["pptx", "odp", "key"], &[ZIP]),
    file_type(FileKind::Presentation, &["ppt"], &[COMPOUND]),
    file_type(FileKind::Text, &["txt", "md", "json"], &[]),
    file_type(
        FileKind::Audio,
        &["mp3"],
        &[(0, b"ID3"), (0, b"\xff\xfb"), (0, b"\xff\xf3"), (0, b"\xff\xf2")],
    ),
    file_type(FileKind::Audio, &["m4a"], &[ISO_MEDIA]),
    file_type(FileKind::Audio, &["wav"], &[(8, b"WAVE")]),
    file_type(FileKind::Audio, &["ogg", "oga", "opus"], &[(0, b"OggS")]),
    file_type(FileKind::Audio, &["flac"], &[(0, b"fLaC")]),
    file_type(FileKind::Video, &["mp4", "m4v", "mov"], &[ISO_MEDIA]),
    file_type(FileKind::Video, &["webm", "mkv"], &[(0, b"\x1a\x45\xdf\xa3")]),
    file_type(FileKind::Archive, &["zip"], &[ZIP]),
    file_type(FileKind::Archive, &["7z"], &[(0, b"7z\xbc\xaf\x27\x1c")]),
    file_type(FileKind::Archive, &["gz", "tgz"], &[(0, b"\x1f\x8b")]),
];

impl FileType {
    fn fits(&self, bytes: &[u8]) -> bool {
        match self.marks.is_empty() {
            true => !bytes.contains(&0),
            false => {
                self.marks.iter().any(|(at, mark)| bytes.get(*at..).is_some_and(|b| b.starts_with(mark)))
            }
        }
    }
}

impl FileRules {
    /// The rules of a question as it is stored.
    pub fn of(question: &FormQuestion) -> FileRules {
        let is_asked = |kind: &FileKind| question.file_kinds.is_empty() || question.file_kinds.contains(kind);
        let bytes_max = question.file_bytes_max.map_or(limits::FORM_FILE_BYTES_MAX, |bytes| bytes as usize);
        FileRules {
            kinds: FileKind::ALL.into_iter().filter(is_asked).collect(),
            bytes_max: bytes_max.min(limits::FORM_FILE_BYTES_MAX),
        }
    }

    /// Checks the name, the size and the first bytes of a file.
    ///
    /// # Errors
    /// The sentence about the rule that it breaks.
    pub fn check(&self, file: &SentFile, texts: &FileTexts) -> Result<(), String> {
        if file.bytes.is_empty() {
            return Err(texts.empty.to_owned());
        }
        if file.bytes.len() > self.bytes_max {
            return Err(self.size_message(texts));
        }
        let extension = extension_of(&file.name);
        let is_its =
            |known: &&FileType| self.kinds.contains(&known.kind) && known.extensions.contains(&&*extension);
        let mut known = TYPES.iter().filter(is_its).peekable();
        if known.peek().is_none() {
            return Err(self.kind_message(texts));
        }
        match known.any(|known| known.fits(&file.bytes)) {
            true => Ok(()),
            false => Err(filled(texts.damaged, &[&extension.to_uppercase()])),
        }
    }

    /// The extensions of all accepted files, such as `.pdf`, with commas between them.
    pub fn extensions(&self) -> String {
        let types = TYPES.iter().filter(|known| self.kinds.contains(&known.kind));
        let extensions = types.flat_map(|known| known.extensions).map(|extension| format!(".{extension}"));
        extensions.collect::<Vec<_>>().join(",")
    }

    /// What is accepted, below the field.
    pub fn hint(&self, texts: &FileTexts) -> String {
        let size = filled(texts.at_most, &[&self.size(texts)]);
        match self.kinds.len() == FileKind::ALL.len() {
            true => size,
            false => format!("{} · {size}", self.kind_names(texts)),
        }
    }

    /// The sentence about a file of another kind.
    pub fn kind_message(&self, texts: &FileTexts) -> String {
        filled(texts.kind, &[&self.kind_names(texts)])
    }

    /// The sentence about a file that is too large.
    pub fn size_message(&self, texts: &FileTexts) -> String {
        filled(texts.size, &[&self.size(texts)])
    }

    fn kind_names(&self, texts: &FileTexts) -> String {
        let position = |kind: &FileKind| FileKind::ALL.iter().position(|known| known == kind);
        let names = self.kinds.iter().filter_map(position).map(|index| texts.kinds[index]);
        names.collect::<Vec<_>>().join(texts.comma)
    }

    fn size(&self, texts: &FileTexts) -> String {
        let tenths = self.bytes_max * 10 / MEGABYTE;
        let number = match (tenths % 10, self.bytes_max) {
            (0, MEGABYTE..) => (tenths / 10).to_string(),
            (_, MEGABYTE..) => format!("{}{}{}", tenths / 10, texts.decimal, tenths % 10),
            _ => return filled(texts.kilobytes, &[&self.bytes_max.div_ceil(1 << 10).to_string()]),
        };
        filled(texts.megabytes, &[&number])
    }
}

fn extension_of(name: &str) -> String {
    name.rsplit_once('.').map_or(String::new(), |(_, extension)| extension.to_ascii_lowercase())
}

/// A name as every system can store it: the last part of a path, without characters that are reserved
/// or that change the direction of what follows, which could hide the extension.
pub fn file_name(given: &str) -> String {
    let last = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_direction = |char: char| matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let shown = last.chars().filter(|char| !char.is_control() && !is_direction(*char));
    let shown =
        shown.map(|char| if matches!(char, '<' | '>' | ':' | '"' | '|' | '?' | '*') { '_' } else { char });
    let name: String = shown.collect();
    let name = name.trim_matches(|char: char| char == '.' || char.is_whitespace());
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let extension: String = extension.chars().take(10).collect();
    let stem: String = stem.chars().take(NAME_CHARACTERS_MAX - 11).collect();
    let stem = if stem.is_empty() { "file" } else { &*stem };
    if extension.is_empty() { stem.to_owned() } else { format!("{stem}.{extension}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forms::file_texts::file_texts;
    use crate::mail::MailLanguage;

    fn rules(kinds: &[FileKind]) -> FileRules {
        FileRules { kinds: kinds.to_vec(), bytes_max: 1 << 20 }
    }

    fn check(kinds: &[FileKind], name: &str, bytes: &'static [u8]) -> Result<(), String> {
        let file = SentFile { name: file_name(name), bytes: Bytes::from_static(bytes) };
        rules(kinds).check(&file, file_texts(MailLanguage::En))
    }

    #[test]
    fn files_are_accepted_by_their_extension_and_their_first_bytes() {
        use FileKind::*;
        assert_eq!(check(&[Pdf], "CV.PDF", b"%PDF-1.7\n"), Ok(()));
        assert_eq!(check(&[Spreadsheet], "a.csv", b"a,b\n"), Ok(()));
        assert_eq!(check(&[Image], "a.jpeg", b"\xff\xd8\xff\xe0"), Ok(()));
        assert_eq!(check(&[Image], "a.webp", b"RIFF....WEBPVP8 "), Ok(()));
        let other = Err("Choose a file of one of these types: PDF, Image.".to_owned());
        for name in ["a.exe", "a.html", "a.svg", "a", "a.pdf.js", "a.docx", ".pdf"] {
            assert_eq!(check(&[Pdf, Image], name, b"%PDF-1.7\n"), other, "{name}");
        }
        // A page or a program with another name.
        let damaged = Err("The contents are not those of a PDF file.".to_owned());
        for bytes in [&b"<html><script>"[..], b"MZ\x90\0", b"%PD"] {
            assert_eq!(check(&[Pdf], "a.pdf", bytes), damaged);
        }
        assert!(check(&[Text], "a.txt", b"MZ\x90\0\0").is_err());
        assert_eq!(check(&[Text], "a.txt", b""), Err("The file is empty.".into()));
    }

    #[test]
    fn sizes_are_shown_in_megabytes() {
        let texts = file_texts(MailLanguage::En);
        for (bytes_max, expected) in
            [(10 << 20, "At most 10 MB"), (5 << 19, "At most 2.5 MB"), (200_000, "At most 196 KB")]
        {
            let rules = FileRules { kinds: FileKind::ALL.to_vec(), bytes_max };
            assert_eq!(rules.hint(texts), expected);
        }
        assert_eq!(rules(&[FileKind::Pdf]).hint(file_texts(MailLanguage::De)), "PDF · Höchstens 1 MB");
        assert_eq!(rules(&[FileKind::Pdf]).extensions(), ".pdf");
    }

    #[test]
    fn names_are_those_of_files() {
        for (given, expected) in [
            ("cv.pdf", "cv.pdf"),
            ("C:\\Users\\ada\\cv.pdf", "cv.pdf"),
            ("../../etc/passwd", "passwd"),
            ("Lebenslauf Jürgen.pdf", "Lebenslauf Jürgen.pdf"),
            // It would be shown as `cv_exe.pdf`.
            ("cv_\u{202e}fdp.exe", "cv_fdp.exe"),
            ("a\r\nSet-Cookie: b.pdf", "aSet-Cookie_ b.pdf"),
            ("...", "file"),
            ("", "file"),
        ] {
            assert_eq!(file_name(given), expected);
        }
        let long = file_name(&format!("{}.pdf", "ä".repeat(500)));
        assert!(long.ends_with("ä.pdf") && long.chars().count() <= NAME_CHARACTERS_MAX, "{long}");
    }
}
