//! ZIP archives of `.xlsx` and `.ods` files, opened with limits on the actual number of expanded
//! bytes: the sizes that an archive declares are not trusted.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{self, BufReader, Cursor, Read};
use std::rc::Rc;

use zip::ZipArchive;
use zip::read::ZipFile;
use zip::result::ZipError;

use super::xml::XmlReader;
use crate::error::{FileError, FileErrorCode};
use crate::limits::{ARCHIVE_ENTRIES_MAX, ARCHIVE_EXPANDED_MAX, ARCHIVE_RATIO_FREE, ARCHIVE_RATIO_MAX};

/// An archive in memory.
pub struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// Positions of the parts by their names as [`folded`] writes them.
    positions: BTreeMap<String, usize>,
    bytes_total: u64,
    /// Expanded bytes of all parts read so far.
    expanded: Rc<Cell<u64>>,
}

/// A part being read. `'z` is the borrow of the archive, `'a` the lifetime of the file's bytes.
pub type Part<'z, 'a> = XmlReader<BufReader<Limited<ZipFile<'z, Cursor<&'a [u8]>>>>>;

impl<'a> Archive<'a> {
    /// Opens an archive. Fails with `Encrypted` for encrypted parts, with `ArchiveLimits` for too many
    /// parts, and with `BadArchive`.
    pub fn open(bytes: &'a [u8]) -> Result<Archive<'a>, FileError> {
        if declared_entries(bytes) > ARCHIVE_ENTRIES_MAX {
            return Err(too_many_entries());
        }
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(zip_error)?;
        if zip.len() as u64 > ARCHIVE_ENTRIES_MAX {
            return Err(too_many_entries());
        }
        let names = zip.file_names().enumerate();
        let positions = names.filter_map(|(at, name)| Some((folded(&name.ok()?), at))).collect();
        Ok(Archive { zip, positions, bytes_total: bytes.len() as u64, expanded: Rc::default() })
    }

    /// Opens an XML part. Returns `None` if the archive has no such part.
    pub fn part(&mut self, name: &str) -> Result<Option<Part<'_, 'a>>, FileError> {
        let name = name.trim_start_matches('/');
        let Some(index) = self.position(name) else { return Ok(None) };
        let file = self.zip.by_index(index).map_err(zip_error)?;
        let packed = file.compressed_size().min(self.bytes_total);
        let (expanded, declared) = (self.expanded.clone(), file.size());
        let limited = Limited { inner: file, packed, read: 0, expanded };
        Ok(Some(XmlReader::new(BufReader::with_capacity(1 << 16, limited), name, packed, declared)))
    }
}

impl Archive<'_> {
    fn position(&self, name: &str) -> Option<usize> {
        self.zip.index_for_name(name).or_else(|| self.positions.get(&folded(name)).copied())
    }

    /// Whether there is a part with this name.
    pub fn has(&self, name: &str) -> bool {
        self.position(name.trim_start_matches('/')).is_some()
    }

    /// The names of all parts.
    pub fn names(&self) -> Vec<String> {
        self.zip.file_names().flatten().map(Cow::into_owned).collect()
    }

    /// The bytes of a part that is not XML. Returns `None` if the part does not exist or is longer
    /// than `bytes_max`.
    pub fn bytes(&mut self, name: &str, bytes_max: usize) -> Result<Option<Vec<u8>>, FileError> {
        let Some(index) = self.position(name.trim_start_matches('/')) else { return Ok(None) };
        let file = self.zip.by_index(index).map_err(zip_error)?;
        let packed = file.compressed_size().min(self.bytes_total);
        let limited = Limited { inner: file, packed, read: 0, expanded: self.expanded.clone() };
        let mut bytes = Vec::new();
        let read = limited.take(bytes_max as u64 + 1).read_to_end(&mut bytes);
        match read {
            Ok(_) => Ok((bytes.len() <= bytes_max).then_some(bytes)),
            Err(error) => Err(match error.get_ref().and_then(|inner| inner.downcast_ref::<FileError>()) {
                Some(limit) => limit.clone(),
                None => FileError::new(FileErrorCode::BadArchive, format!("{name}: {error}")),
            }),
        }
    }
}

/// The name of a part without differences that have no meaning: names ignore the case of ASCII letters
/// (ECMA-376 part 2, 6.2.2.3), and some programs separate folders by `\`.
fn folded(name: &str) -> String {
    name.to_ascii_lowercase().replace('\\', "/")
}

/// Number of entries that the end of the archive declares; the actual number is checked when the
/// entries are read.
fn declared_entries(bytes: &[u8]) -> u64 {
    // The last record has 22 bytes, followed by a comment of up to 65,535 bytes.
    let tail = &bytes[bytes.len().saturating_sub(22 + 65_535)..];
    let Some(at) = tail.windows(4).rposition(|window| window == b"PK\x05\x06") else { return 0 };
    match tail.get(at + 10..at + 12) {
        Some(count) => u64::from(u16::from_le_bytes([count[0], count[1]])),
        None => 0,
    }
}

fn too_many_entries() -> FileError {
    FileError::new(
        FileErrorCode::ArchiveLimits,
        format!("more than {ARCHIVE_ENTRIES_MAX} parts in the archive"),
    )
}

fn zip_error(error: ZipError) -> FileError {
    match error {
        ZipError::UnsupportedArchive(reason) if reason.to_string().to_lowercase().contains("password") => {
            FileError::new(FileErrorCode::Encrypted, "the workbook is encrypted: save it without a password")
        }
        error => FileError::new(FileErrorCode::BadArchive, format!("not a sound .xlsx archive: {error}")),
    }
}

/// A reader that fails when a part or the archive expands beyond its limit.
pub struct Limited<R> {
    inner: R,
    packed: u64,
    read: u64,
    expanded: Rc<Cell<u64>>,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.read += count as u64;
        self.expanded.set(self.expanded.get() + count as u64);
        let refuse =
            |reason: String| Err(io::Error::other(FileError::new(FileErrorCode::ArchiveLimits, reason)));
        if self.expanded.get() > ARCHIVE_EXPANDED_MAX {
            return refuse(format!("the archive expands to more than {} MiB", ARCHIVE_EXPANDED_MAX >> 20));
        }
        if self.read > ARCHIVE_RATIO_FREE && self.read > self.packed.saturating_mul(ARCHIVE_RATIO_MAX) {
            return refuse(format!(
                "a part of the archive expands to more than {ARCHIVE_RATIO_MAX} times its size"
            ));
        }
        Ok(count)
    }
}
