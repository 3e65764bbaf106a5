//! Compound files ([MS-CFB]): streams as chains of sectors, listed in a directory.

use super::byte_reader::{ByteReader, utf16};
use crate::error::{FileError, FileErrorCode};
use crate::file_format::COMPOUND_FILE;

/// Numbers of sectors from this one on have another meaning, such as the end of a chain.
const SECTOR_MAX: u32 = 0xffff_fffa;
const END_OF_CHAIN: u32 = 0xffff_fffe;
const DIRECTORY_ENTRY: usize = 128;
const MINI_SECTOR: usize = 64;
/// Shorter streams are in the mini stream.
const MINI_STREAM_BELOW: u64 = 4_096;
/// Sectors of the allocation table that the header itself lists.
const LISTED_IN_HEADER: usize = 109;

/// A compound file in memory.
pub struct CompoundFile<'a> {
    bytes: &'a [u8],
    sector: usize,
    /// The sector after each sector.
    table: Vec<u32>,
    entries: Vec<Entry>,
    mini_table: Vec<u32>,
    mini_stream: Vec<u8>,
}

/// An entry of the directory.
struct Entry {
    name: String,
    first: u32,
    length: u64,
}

impl<'a> CompoundFile<'a> {
    /// Opens a file. Fails with `BadArchive`.
    pub fn open(bytes: &'a [u8]) -> Result<CompoundFile<'a>, FileError> {
        if !bytes.starts_with(COMPOUND_FILE) {
            return Err(FileError::new(FileErrorCode::NotAWorkbook, "not an Excel workbook"));
        }
        CompoundFile::read(bytes).ok_or_else(damaged)
    }

    fn read(bytes: &'a [u8]) -> Option<CompoundFile<'a>> {
        let shift = ByteReader(bytes.get(30..)?).u16()?;
        let sector = match shift {
            9 | 12 => 1 << shift,
            _ => return None,
        };
        let mut header = ByteReader(bytes.get(48..512)?);
        let first_of_directory = header.u32()?;
        header.take(8)?;
        let first_of_mini_table = header.u32()?;
        header.take(4)?;
        let mut next_list = header.u32()?;
        header.take(4)?;
        let mut listed: Vec<u32> = Vec::new();
        for _ in 0..LISTED_IN_HEADER {
            listed.push(header.u32()?);
        }
        let mut file = CompoundFile {
            bytes,
            sector,
            table: Vec::new(),
            entries: Vec::new(),
            mini_table: Vec::new(),
            mini_stream: Vec::new(),
        };
        // Further sectors of the table are listed in a chain of sectors; the last entry is the next one.
        let mut lists = 0;
        while next_list < SECTOR_MAX {
            lists += 1;
            let mut list = numbers(file.sector(next_list)?);
            next_list = list.pop()?;
            listed.append(&mut list);
            if lists > bytes.len() / sector {
                return None;
            }
        }
        for number in listed.into_iter().filter(|number| *number < SECTOR_MAX) {
            if file.table.len() > bytes.len() {
                return None;
            }
            let sector = file.sector(number)?;
            file.table.extend(numbers(sector));
        }
        let directory = file.chain(first_of_directory, u64::MAX)?;
        for entry in directory.chunks_exact(DIRECTORY_ENTRY) {
            let mut numbers = ByteReader(&entry[116..]);
            let (first, low, high) = (numbers.u32()?, numbers.u32()?, numbers.u32()?);
            // Files with sectors of 512 bytes may have anything in the upper half.
            let high = if sector == 512 { 0 } else { u64::from(high) };
            let name = utf16(&entry[..64]).trim_end_matches('\0').to_owned();
            file.entries.push(Entry { name, first, length: high << 32 | u64::from(low) });
        }
        let root = file.entries.first()?;
        if root.length > 0 && first_of_mini_table < SECTOR_MAX {
            file.mini_stream = file.chain(root.first, root.length)?;
            file.mini_table = numbers(&file.chain(first_of_mini_table, u64::MAX)?);
        }
        Some(file)
    }

    /// Whether there is a stream or a storage with this name.
    pub fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.name.eq_ignore_ascii_case(name))
    }

    /// The bytes of a stream; `None` if there is no such stream. Fails with `BadArchive`.
    pub fn stream(&self, name: &str) -> Result<Option<Vec<u8>>, FileError> {
        let Some(entry) = self.entries.iter().find(|entry| entry.name.eq_ignore_ascii_case(name)) else {
            return Ok(None);
        };
        let bytes = match entry.length < MINI_STREAM_BELOW {
            true => self.mini_chain(entry.first, entry.length),
            false => self.chain(entry.first, entry.length),
        };
        bytes.map(Some).ok_or_else(damaged)
    }

    /// A sector; the last one of a file may be shorter.
    fn sector(&self, number: u32) -> Option<&'a [u8]> {
        // The header takes the place of the first sector.
        let start = (number as usize).checked_add(1)?.checked_mul(self.sector)?;
        let end = (start + self.sector).min(self.bytes.len());
        self.bytes.get(start..end).filter(|sector| !sector.is_empty())
    }

    /// The bytes of a chain of sectors, at most `length`. `None` for chains that leave the file or are
    /// longer than it, because they run in a circle.
    fn chain(&self, first: u32, length: u64) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut number = first;
        while number != END_OF_CHAIN && (bytes.len() as u64) < length {
            bytes.extend_from_slice(self.sector(number)?);
            if bytes.len() > self.bytes.len() {
                return None;
            }
            number = *self.table.get(number as usize)?;
        }
        bytes.truncate(usize::try_from(length).unwrap_or(usize::MAX));
        Some(bytes)
    }

    fn mini_chain(&self, first: u32, length: u64) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut number = first;
        while number != END_OF_CHAIN && (bytes.len() as u64) < length {
            let start = (number as usize).checked_mul(MINI_SECTOR)?;
            let end = start.checked_add(MINI_SECTOR)?.min(self.mini_stream.len());
            bytes.extend_from_slice(self.mini_stream.get(start..end).filter(|sector| !sector.is_empty())?);
            number = *self.mini_table.get(number as usize)?;
        }
        bytes.truncate(length as usize);
        Some(bytes)
    }
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    let chunks = bytes.chunks_exact(4);
    chunks.map(|chunk| u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]])).collect()
}

fn damaged() -> FileError {
    FileError::new(FileErrorCode::BadArchive, "the workbook is damaged: its sectors cannot be read")
}
