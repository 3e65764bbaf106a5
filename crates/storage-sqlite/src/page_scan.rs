//! Scans the pages of a database file and its write-ahead log for rows, also those that SQLite
//! cannot reach. Everything that looks like a row is returned; the caller verifies rows by their
//! checksums.
//!
//! SQLite has an extension for this, `sqlite3_recover`. It is not part of the bundled sources,
//! needs another build configuration, and without a schema also returns rows without a table. As
//! all rows have checksums, finding them is enough.
//!
//! Layout: <https://www.sqlite.org/fileformat2.html>.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use rusqlite::types::Value;

/// Page size of the databases, used when the header is unreadable.
const PAGE_BYTES: usize = 4096;

const HEADER_BYTES: usize = 100;
const MAGIC: &[u8] = b"SQLite format 3\0";

const LOG_HEADER_BYTES: u64 = 32;
const FRAME_HEADER_BYTES: u64 = 24;

/// The types of pages with rows.
const TABLE_LEAF: u8 = 0x0d;
const INDEX_LEAF: u8 = 0x0a;
const INDEX_INTERIOR: u8 = 0x02;

/// A row found in a page.
pub struct Row {
    /// The row id; `None` in indexes and in tables without row ids.
    pub id: Option<i64>,
    /// The columns. A column that is an alias of the row id is null.
    pub values: Vec<Value>,
}

struct Pages {
    file: File,
    log: Option<File>,
    page_bytes: usize,
    count: u32,
    /// Offset in the write-ahead log of the newest version of a page.
    newer: BTreeMap<u32, u64>,
    /// Pages on the free list.
    free: BTreeSet<u32>,
}

/// Passes everything that looks like a row to `take`. Only one row is in memory at a time.
///
/// # Errors
///
/// Fails when the file cannot be opened.
pub fn rows(database: &Path, take: &mut dyn FnMut(Row)) -> io::Result<()> {
    let mut pages = Pages::open(database)?;
    for number in 1..=pages.count {
        if !pages.free.contains(&number)
            && let Some(page) = pages.page(number)
        {
            pages.rows_of(number, &page, take);
        }
    }
    Ok(())
}

impl Pages {
    fn open(database: &Path) -> io::Result<Pages> {
        let mut file = File::open(database)?;
        let mut header = Vec::new();
        file.by_ref().take(HEADER_BYTES as u64).read_to_end(&mut header)?;
        let stated = header.get(16..18).map_or(0, |size| usize::from(u16::from_be_bytes([size[0], size[1]])));
        let is_header = header.starts_with(MAGIC) && stated.is_power_of_two() && stated >= 512;
        let page_bytes = if is_header { stated } else { PAGE_BYTES };
        let count = u32::try_from(file.metadata()?.len() / page_bytes as u64).unwrap_or(u32::MAX);
        let log = File::open(wal_path(database)).ok(); // usually it does not exist
        let mut pages = Pages { file, log, page_bytes, count, newer: BTreeMap::new(), free: BTreeSet::new() };
        pages.read_log()?;
        pages.read_free();
        Ok(pages)
    }

    /// Reads all frames since the last restart of the log. They are not verified: rows have
    /// checksums.
    fn read_log(&mut self) -> io::Result<()> {
        let Some(log) = &mut self.log else { return Ok(()) };
        let length = log.metadata()?.len();
        let frame_bytes = FRAME_HEADER_BYTES + self.page_bytes as u64;
        let mut salts = None;
        let mut at = LOG_HEADER_BYTES;
        while at + frame_bytes <= length {
            let mut header = [0; FRAME_HEADER_BYTES as usize];
            log.seek(SeekFrom::Start(at))?;
            log.read_exact(&mut header)?;
            // Frames from before the restart have other salts.
            let is_of_this_log = *salts.get_or_insert(header[8..16].to_vec()) == header[8..16];
            let number = number(&header);
            // A log has few pages beyond the end of the file; a page number far beyond is damage.
            let is_near = u64::from(number) <= u64::from(self.count) + length / frame_bytes;
            if is_of_this_log && number > 0 && is_near {
                self.newer.insert(number, at + FRAME_HEADER_BYTES);
            }
            at += frame_bytes;
        }
        let newest = self.newer.last_key_value().map_or(0, |(number, _)| *number);
        self.count = self.count.max(newest);
        Ok(())
    }

    /// Reads the free list as far as possible.
    fn read_free(&mut self) {
        let Some(first) = self.page(1).filter(|page| page.starts_with(MAGIC)) else { return };
        let mut next = number(&first[32..]);
        while next != 0 && self.free.insert(next) {
            let Some(trunk) = self.page(next) else { return };
            let leaves = (number(&trunk[4..]) as usize).min(self.page_bytes / 4 - 2);
            self.free.extend(trunk[8..8 + leaves * 4].chunks_exact(4).map(number));
            next = number(&trunk);
        }
    }

    fn page(&mut self, page: u32) -> Option<Vec<u8>> {
        let (file, at) = match self.newer.get(&page) {
            Some(at) => (self.log.as_mut()?, *at),
            None => (&mut self.file, u64::from(page.checked_sub(1)?) * self.page_bytes as u64),
        };
        let mut bytes = vec![0; self.page_bytes];
        file.seek(SeekFrom::Start(at)).ok()?;
        file.read_exact(&mut bytes).ok()?; // an unreadable part of the disk is skipped
        Some(bytes)
    }

    fn rows_of(&mut self, number: u32, page: &[u8], take: &mut dyn FnMut(Row)) {
        let at = if number == 1 { HEADER_BYTES } else { 0 };
        let kind = page[at];
        let cells = match kind {
            TABLE_LEAF | INDEX_LEAF => at + 8,
            INDEX_INTERIOR => at + 12,
            _ => return,
        };
        let count = usize::from(u16::from_be_bytes([page[at + 3], page[at + 4]]));
        for pointer in page[cells..].chunks_exact(2).take(count) {
            let cell = usize::from(u16::from_be_bytes([pointer[0], pointer[1]]));
            if let Some(row) = self.row(page, kind, cell) {
                take(row);
            }
        }
    }

    fn row(&mut self, page: &[u8], kind: u8, cell: usize) -> Option<Row> {
        let mut rest = page.get(cell..)?;
        if kind == INDEX_INTERIOR {
            rest = rest.get(4..)?; // the left child page
        }
        let length = usize::try_from(varint(&mut rest)?).ok()?;
        let id = if kind == TABLE_LEAF { Some(varint(&mut rest)?) } else { None };
        let payload = self.payload(rest, length, kind == TABLE_LEAF)?;
        Some(Row { id, values: values(&payload)? })
    }

    /// Reads the payload of a cell from the page and its overflow pages.
    fn payload(&mut self, rest: &[u8], length: usize, is_table: bool) -> Option<Vec<u8>> {
        let usable = self.page_bytes;
        let most = if is_table { usable - 35 } else { (usable - 12) * 64 / 255 - 23 };
        if length <= most {
            return rest.get(..length).map(<[u8]>::to_vec);
        }
        if length / usable > self.count as usize {
            return None;
        }
        let least = (usable - 12) * 32 / 255 - 23;
        let local = match least + (length - least) % (usable - 4) {
            local if local <= most => local,
            _ => least,
        };
        let mut payload = rest.get(..local)?.to_vec();
        let mut next = number(rest.get(local..local + 4)?);
        let mut visited = BTreeSet::new();
        while payload.len() < length {
            let page = self.page(next).filter(|_| visited.insert(next))?;
            let part = (length - payload.len()).min(usable - 4);
            payload.extend_from_slice(&page[4..4 + part]);
            next = number(&page);
        }
        Some(payload)
    }
}

/// Returns the path of the write-ahead log.
fn wal_path(database: &Path) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push("-wal");
    path.into()
}

/// Returns the big-endian number in the first four bytes.
fn number(bytes: &[u8]) -> u32 {
    u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn varint(bytes: &mut &[u8]) -> Option<i64> {
    let mut number = 0u64;
    for index in 0..9 {
        let byte = *bytes.get(index)?;
        // All eight bits of the ninth byte are used.
        number =
            if index == 8 { number << 8 | u64::from(byte) } else { number << 7 | u64::from(byte & 0x7f) };
        if index == 8 || byte < 0x80 {
            *bytes = &bytes[index + 1..];
            return Some(number as i64);
        }
    }
    None
}

/// Decodes the columns of a record.
fn values(payload: &[u8]) -> Option<Vec<Value>> {
    let mut kinds = payload;
    let header = usize::try_from(varint(&mut kinds)?).ok()?;
    let mut kinds = payload.get(payload.len() - kinds.len()..header)?;
    let mut rest = payload.get(header..)?;
    let mut values = Vec::new();
    while !kinds.is_empty() {
        let kind = varint(&mut kinds)?;
        let length = match kind {
            0 | 8 | 9 => 0,
            1..=4 => kind as usize,
            5 => 6,
            6 | 7 => 8,
            12.. => usize::try_from((kind - 12) / 2).ok()?,
            _ => return None,
        };
        let (bytes, after) = rest.split_at_checked(length)?;
        rest = after;
        values.push(match kind {
            0 => Value::Null,
            8 | 9 => Value::Integer(kind - 8),
            1..=6 => {
                let sign = if bytes[0] >= 0x80 { -1i64 } else { 0 };
                Value::Integer(bytes.iter().fold(sign, |number, byte| number << 8 | i64::from(*byte)))
            }
            7 => Value::Real(f64::from_be_bytes(bytes.try_into().ok()?)),
            _ if kind % 2 == 0 => Value::Blob(bytes.to_vec()),
            _ => Value::Text(String::from_utf8(bytes.to_vec()).ok()?),
        });
    }
    Some(values)
}

/// Approximate bytes of records in a rewritten row of the log or a tail.
pub(crate) const ROW_BYTES: usize = 4 << 20;
