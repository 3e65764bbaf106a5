//! Removes the source locations of panics from the engine's module: 1,750 locations with file names and
//! an address at each of 2,700 calls, 3 % of the module in brotli. Panic messages remain.
//!
//! A location (`core::panic::Location`) is four words: address and length of the file name, line, column.
//! Its address is the last argument of functions of the standard library, pushed immediately before the
//! call. All such calls get the address of the first location; locations and file names that nothing
//! refers to any more are overwritten with zeros.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::binary::{
    CODE, CONSTANT, CUSTOM, DATA, END, HEADER, Instruction, Reader, Section, sections, write_section,
    write_signed, write_unsigned,
};

/// Parts of the mangled names of functions of the standard library, in the legacy and the v0 mangling.
const STANDARD: [&str; 5] = ["4core", "5alloc", "3std", "$LT$core..", "core..ops..index"];

/// Removes panic locations and custom sections, which hold the names of functions.
///
/// # Errors
/// When the module cannot be read or has no locations.
pub fn remove_panic_locations(module: &[u8]) -> Result<Vec<u8>, String> {
    let sections = sections(module)?;
    let body = |id: u8| sections.iter().find(|section| section.id == id).map(|section| section.body.clone());
    let (Some(code), Some(data)) = (body(CODE), body(DATA)) else {
        return Err("the engine's module has no code or no data".to_owned());
    };
    let names = function_names(module, &sections)?;
    let mut memory = Memory::read(module, data)?;
    let locations = memory.locations();
    let (code, references) = with_one_location(&module[code], &names, &locations)?;
    memory.clear_unused(&locations, &references);

    let mut written = module[..HEADER].to_vec();
    for section in sections.iter().filter(|section| section.id != CUSTOM) {
        let body = match section.id {
            CODE => &code,
            _ => &memory.module[section.body.clone()],
        };
        write_section(&mut written, section.id, body);
    }
    Ok(written)
}

/// Names of functions by index, from the custom section `name`.
fn function_names(module: &[u8], sections: &[Section]) -> Result<BTreeMap<u64, String>, String> {
    const FUNCTIONS: u8 = 1;
    let mut names = BTreeMap::new();
    for section in sections.iter().filter(|section| section.id == CUSTOM) {
        let mut reader = Reader { bytes: &module[..section.body.end], at: section.body.start };
        if reader.text()? != "name" {
            continue;
        }
        while reader.at < section.body.end {
            let part = reader.byte()?;
            let length = reader.unsigned()? as usize;
            let end = reader.at + length;
            if part == FUNCTIONS {
                for _ in 0..reader.unsigned()? {
                    let function = reader.unsigned()?;
                    names.insert(function, reader.text()?);
                }
            }
            reader.at = end;
        }
    }
    Ok(names)
}

/// Locations by address.
type Locations = BTreeMap<u32, Location>;

struct Location {
    /// Addresses of the file name.
    file: Range<u32>,
}

const LOCATION_BYTES: u32 = 16;

/// The initial contents of the module's memory.
struct Memory {
    module: Vec<u8>,
    /// Address and byte range in the module of each data segment.
    segments: Vec<(u32, Range<usize>)>,
}

impl Memory {
    fn read(module: &[u8], data: Range<usize>) -> Result<Memory, String> {
        let mut reader = Reader { bytes: &module[..data.end], at: data.start };
        let mut segments = Vec::new();
        for _ in 0..reader.unsigned()? {
            let [kind, constant] = [reader.byte()?, reader.byte()?];
            let address = reader.signed()? as u32;
            let end = reader.byte()?;
            if [kind, constant, end] != [0, CONSTANT, END] {
                return Err("the engine's data do not lie at fixed addresses".to_owned());
            }
            let length = reader.unsigned()? as usize;
            segments.push((address, reader.at..reader.at + length));
            reader.skip(length)?;
        }
        Ok(Memory { module: module.to_vec(), segments })
    }

    fn bytes(&self, addresses: Range<u32>) -> Option<&[u8]> {
        self.segments.iter().find_map(|(start, bytes)| {
            let from = addresses.start.checked_sub(*start)? as usize;
            let to = addresses.end.checked_sub(*start)? as usize;
            self.module[bytes.clone()].get(from..to)
        })
    }

    /// The words of all segments with their addresses. Pointers lie at multiples of four.
    fn words(&self) -> impl Iterator<Item = (u32, u32)> {
        self.segments.iter().flat_map(|(start, bytes)| {
            let words = self.module[bytes.clone()].chunks_exact(4);
            words.enumerate().map(move |(index, word)| {
                (start + 4 * index as u32, u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            })
        })
    }

    fn locations(&self) -> Locations {
        let words: Vec<(u32, u32)> = self.words().collect();
        let mut locations = Locations::new();
        for four in words.windows(4) {
            let [(address, file), (_, length), (_, line), (_, column)] = [four[0], four[1], four[2], four[3]];
            let is_plausible =
                (4..300).contains(&length) && (1..100_000).contains(&line) && (1..1_000).contains(&column);
            let Some(end) = file.checked_add(length).filter(|_| is_plausible) else { continue };
            // File names are followed by a zero byte that is not part of the name.
            let name = self.bytes(file..end + 1).and_then(|name| name.strip_suffix(b".rs\0"));
            if name.is_some_and(|name| name.iter().all(|byte| byte.is_ascii_graphic()))
                && !is_character(address)
            {
                locations.insert(address, Location { file: file..end + 1 });
            }
        }
        locations
    }

    /// Overwrites locations and file names to which neither code nor data refers.
    fn clear_unused(&mut self, locations: &Locations, references: &BTreeSet<u32>) {
        let pointers: BTreeSet<u32> = self.words().map(|(_, word)| word).collect();
        let is_needed = |addresses: Range<u32>, pointers: &BTreeSet<u32>| {
            references.range(addresses.clone()).next().is_some() || pointers.range(addresses).next().is_some()
        };
        for address in locations.keys() {
            let location = *address..*address + LOCATION_BYTES;
            if !is_needed(location.clone(), &pointers) {
                self.clear(location);
            }
        }
        let pointers: BTreeSet<u32> = self.words().map(|(_, word)| word).collect();
        for Location { file } in locations.values() {
            if !is_needed(file.clone(), &pointers) {
                self.clear(file.clone());
            }
        }
    }

    fn clear(&mut self, addresses: Range<u32>) {
        for (start, bytes) in &self.segments {
            if *start <= addresses.start && addresses.start < *start + bytes.len() as u32 {
                let from = bytes.start + (addresses.start - start) as usize;
                self.module[from..from + addresses.len()].fill(0);
            }
        }
    }
}

/// Whether an address equals `char::MAX` or one of the next integers, which the compiler uses for "no
/// character", so that a constant of this value may not be an address.
fn is_character(address: u32) -> bool {
    (u32::from(char::MAX)..u32::from(char::MAX) + 16).contains(&address)
}

/// The code with the first location at every call that passes one, and all remaining constants that may
/// be addresses.
fn with_one_location(
    code: &[u8],
    names: &BTreeMap<u64, String>,
    locations: &Locations,
) -> Result<(Vec<u8>, BTreeSet<u32>), String> {
    let Some(first) = locations.keys().next() else { return Err("no panic locations were found".to_owned()) };
    let mut written = Vec::with_capacity(code.len());
    let mut references = BTreeSet::new();
    let mut reader = Reader { bytes: code, at: 0 };
    let functions = reader.unsigned()?;
    write_unsigned(&mut written, functions);
    for _ in 0..functions {
        let length = reader.unsigned()? as usize;
        let start = reader.at;
        let end = start + length;
        let mut body = Vec::with_capacity(length);
        for _ in 0..reader.unsigned()? {
            reader.unsigned()?;
            reader.byte()?;
        }
        body.extend_from_slice(&code[start..reader.at]);
        // A constant is written when the next instruction is known.
        let mut constant: Option<(u32, Range<usize>)> = None;
        while reader.at < end {
            let at = reader.at;
            let instruction = reader.instruction()?;
            if let Some((number, bytes)) = constant.take() {
                let is_location = match instruction {
                    Instruction::Call(function) => {
                        locations.contains_key(&number)
                            && names.get(&function).is_some_and(|name| is_standard(name))
                    }
                    _ => false,
                };
                if is_location {
                    body.push(CONSTANT);
                    write_signed(&mut body, *first as i32);
                    references.insert(*first);
                } else {
                    body.extend_from_slice(&code[bytes]);
                    references.insert(number);
                }
            }
            match instruction {
                Instruction::Constant(number) => constant = Some((number as u32, at..reader.at)),
                Instruction::Memory(offset) => {
                    references.insert(offset);
                    body.extend_from_slice(&code[at..reader.at]);
                }
                Instruction::Call(_) | Instruction::Function(_) | Instruction::Other => {
                    body.extend_from_slice(&code[at..reader.at])
                }
            }
        }
        if reader.at != end || constant.is_some() {
            return Err("a function of the engine's module could not be read".to_owned());
        }
        write_unsigned(&mut written, body.len() as u64);
        written.extend_from_slice(&body);
    }
    Ok((written, references))
}

fn is_standard(name: &str) -> bool {
    STANDARD.iter().any(|part| name.contains(part))
}
