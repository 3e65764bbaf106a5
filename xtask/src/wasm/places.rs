//! Takes out of the engine's module where in the sources each panic would be: 1,750 places with the names of their files, and a
//! number beside each of 2,700 calls, 3 % of what visitors download. The engine says what went wrong without them.
//!
//! A place is four words: address and length of the file's name, line, column. Its address is the last argument of functions of the
//! standard library, put there immediately before the call. All such calls are given one and the same place; places and names
//! to which nothing points any more become zeros.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::binary::{
    CODE, CONSTANT, CUSTOM, DATA, END, HEADER, Instruction, Reader, Section, sections, write_section,
    write_signed, write_unsigned,
};

/// What names of the standard library's functions contain, mangled in the old way and in the new.
const STANDARD: [&str; 5] = ["4core", "5alloc", "3std", "$LT$core..", "core..ops..index"];

/// The same module without places and without names, or why it could not be read.
pub fn without_panic_locations(module: &[u8]) -> Result<Vec<u8>, String> {
    let sections = sections(module)?;
    let body = |id: u8| sections.iter().find(|section| section.id == id).map(|section| section.body.clone());
    let (Some(code), Some(data)) = (body(CODE), body(DATA)) else {
        return Err("the engine's module has no code or no data".to_owned());
    };
    let names = function_names(module, &sections)?;
    let mut memory = Memory::read(module, data)?;
    let places = memory.places();
    let (code, references) = with_one_place(&module[code], &names, &places)?;
    memory.forget(&places, &references);

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

/// The first part of the section `name` that is about functions.
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

/// By address.
type Places = BTreeMap<u32, Place>;

struct Place {
    /// Addresses of the file's name.
    file: Range<u32>,
}

const PLACE_BYTES: u32 = 16;

/// What the module puts into memory when it starts.
struct Memory {
    module: Vec<u8>,
    /// Where it goes, and where it stands in the module.
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

    fn places(&self) -> Places {
        let words: Vec<(u32, u32)> = self.words().collect();
        let mut places = Places::new();
        for four in words.windows(4) {
            let [(address, file), (_, length), (_, line), (_, column)] = [four[0], four[1], four[2], four[3]];
            let is_plausible =
                (4..300).contains(&length) && (1..100_000).contains(&line) && (1..1_000).contains(&column);
            let Some(end) = file.checked_add(length).filter(|_| is_plausible) else { continue };
            // The name is followed by a zero that does not belong to it.
            let name = self.bytes(file..end + 1).and_then(|name| name.strip_suffix(b".rs\0"));
            if name.is_some_and(|name| name.iter().all(|byte| byte.is_ascii_graphic()))
                && !is_character(address)
            {
                places.insert(address, Place { file: file..end + 1 });
            }
        }
        places
    }

    fn forget(&mut self, places: &Places, references: &BTreeSet<u32>) {
        let told: BTreeSet<u32> = self.words().map(|(_, word)| word).collect();
        let is_needed = |addresses: Range<u32>, told: &BTreeSet<u32>| {
            references.range(addresses.clone()).next().is_some() || told.range(addresses).next().is_some()
        };
        for address in places.keys() {
            let place = *address..*address + PLACE_BYTES;
            if !is_needed(place.clone(), &told) {
                self.clear(place);
            }
        }
        let told: BTreeSet<u32> = self.words().map(|(_, word)| word).collect();
        for Place { file } in places.values() {
            if !is_needed(file.clone(), &told) {
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

/// `char::MAX` and the numbers behind it stand for "no character", and might be meant where such an address is.
fn is_character(address: u32) -> bool {
    (u32::from(char::MAX)..u32::from(char::MAX) + 16).contains(&address)
}

/// The code in which each call that tells a place tells the first one; and every number that might be an address still.
fn with_one_place(
    code: &[u8],
    names: &BTreeMap<u64, String>,
    places: &Places,
) -> Result<(Vec<u8>, BTreeSet<u32>), String> {
    let Some(first) = places.keys().next() else { return Err("no places of panics were found".to_owned()) };
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
        // A constant waits for what comes after it.
        let mut constant: Option<(u32, Range<usize>)> = None;
        while reader.at < end {
            let at = reader.at;
            let instruction = reader.instruction()?;
            if let Some((number, bytes)) = constant.take() {
                let is_place = match instruction {
                    Instruction::Call(function) => {
                        places.contains_key(&number)
                            && names.get(&function).is_some_and(|name| is_standard(name))
                    }
                    _ => false,
                };
                if is_place {
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
