//! Reader and writer of the WebAssembly binary format, as far as the passes of this module need it
//! (WebAssembly specification, chapter 5).

use std::ops::Range;

pub const HEADER: usize = 8;
pub const CUSTOM: u8 = 0;
pub const TYPE: u8 = 1;
pub const IMPORT: u8 = 2;
pub const FUNCTION: u8 = 3;
pub const EXPORT: u8 = 7;
pub const START: u8 = 8;
pub const ELEMENT: u8 = 9;
pub const CODE: u8 = 10;
pub const DATA: u8 = 11;

/// A section of a module: its id and the byte range of its contents.
pub struct Section {
    pub id: u8,
    pub body: Range<usize>,
}

/// The sections of a module in their order.
///
/// # Errors
/// When the bytes are not a WebAssembly module of version 1.
pub fn sections(module: &[u8]) -> Result<Vec<Section>, String> {
    if !module.starts_with(b"\0asm\x01\0\0\0") {
        return Err("the engine is not a WebAssembly module".to_owned());
    }
    let mut reader = Reader { bytes: module, at: HEADER };
    let mut sections = Vec::new();
    while reader.at < module.len() {
        let id = reader.byte()?;
        let length = reader.unsigned()? as usize;
        sections.push(Section { id, body: reader.at..reader.at + length });
        reader.skip(length)?;
    }
    Ok(sections)
}

/// The instructions that the passes distinguish.
pub enum Instruction {
    /// `i32.const`.
    Constant(i32),
    /// `call`, with the function's index.
    Call(u64),
    /// Another instruction whose only immediate is the index of a function.
    Function(u64),
    /// A load or store, with its constant offset.
    Memory(u32),
    Other,
}

pub const CONSTANT: u8 = 0x41;
pub const END: u8 = 0x0b;

/// A position in the bytes of a module.
pub struct Reader<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

impl Reader<'_> {
    /// Reads one byte.
    pub fn byte(&mut self) -> Result<u8, String> {
        let byte = self.bytes.get(self.at).ok_or("the engine's module ends too early")?;
        self.at += 1;
        Ok(*byte)
    }

    /// Skips bytes.
    pub fn skip(&mut self, bytes: usize) -> Result<(), String> {
        self.at += bytes;
        if self.at > self.bytes.len() { Err("the engine's module ends too early".to_owned()) } else { Ok(()) }
    }

    /// Reads an unsigned LEB128 integer.
    pub fn unsigned(&mut self) -> Result<u64, String> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err("a number in the engine's module is too long".to_owned())
    }

    /// Reads a signed LEB128 integer.
    pub fn signed(&mut self) -> Result<i64, String> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= i64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                let unused = 64u32.saturating_sub(shift + 7);
                return Ok(number << unused >> unused);
            }
        }
        Err("a number in the engine's module is too long".to_owned())
    }

    /// Reads a name: its length and UTF-8 bytes.
    pub fn text(&mut self) -> Result<String, String> {
        let length = self.unsigned()? as usize;
        let start = self.at;
        self.skip(length)?;
        Ok(String::from_utf8_lossy(&self.bytes[start..self.at]).into_owned())
    }

    /// Reads an instruction with its immediates.
    ///
    /// # Errors
    /// For instructions that the compiler does not emit for the engine: exceptions, threads, garbage
    /// collection.
    pub fn instruction(&mut self) -> Result<Instruction, String> {
        let code = self.byte()?;
        match code {
            // block, loop, if
            0x02..=0x04 => self.signed().map(drop)?,
            // br, br_if; locals, globals, tables
            0x0c | 0x0d | 0x20..=0x26 => self.unsigned().map(drop)?,
            // return_call, ref.func
            0x12 | 0xd2 => return Ok(Instruction::Function(self.unsigned()?)),
            // call
            0x10 => return Ok(Instruction::Call(self.unsigned()?)),
            // br_table
            0x0e => {
                for _ in 0..=self.unsigned()? {
                    self.unsigned()?;
                }
            }
            // call_indirect, return_call_indirect
            0x11 | 0x13 => {
                self.unsigned()?;
                self.unsigned()?;
            }
            // select with types
            0x1c => {
                for _ in 0..self.unsigned()? {
                    self.byte()?;
                }
            }
            // loads and stores
            0x28..=0x3e => return self.memory(),
            // memory.size, memory.grow; ref.null
            0x3f | 0x40 | 0xd0 => self.skip(1)?,
            CONSTANT => return Ok(Instruction::Constant(self.signed()? as i32)),
            0x42 => self.signed().map(drop)?,
            0x43 => self.skip(4)?,
            0x44 => self.skip(8)?,
            0xfc => match self.unsigned()? {
                0..=7 => {}
                // memory.init, memory.copy, table.init, table.copy
                8 | 10 | 12 | 14 => {
                    self.unsigned()?;
                    self.unsigned()?;
                }
                9 | 11 | 13 | 15..=17 => self.unsigned().map(drop)?,
                other => return Err(format!("unknown instruction: fc {other}")),
            },
            0xfd => match self.unsigned()? {
                0..=11 | 92 | 93 => return self.memory(),
                12 | 13 => self.skip(16)?,
                21..=34 => self.skip(1)?,
                84..=91 => {
                    let instruction = self.memory()?;
                    self.skip(1)?;
                    return Ok(instruction);
                }
                14..=275 => {}
                other => return Err(format!("unknown instruction: fd {other}")),
            },
            // unreachable, nop, else, end, return, drop, select; all of arithmetic; ref.is_null
            0x00 | 0x01 | 0x05 | END | 0x0f | 0x1a | 0x1b | 0x45..=0xc4 | 0xd1 => {}
            other => return Err(format!("unknown instruction: {other:x}")),
        }
        Ok(Instruction::Other)
    }

    fn memory(&mut self) -> Result<Instruction, String> {
        self.unsigned()?;
        Ok(Instruction::Memory(self.unsigned()? as u32))
    }
}

/// Writes an unsigned LEB128 integer.
pub fn write_unsigned(written: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        written.push(number as u8 | 0x80);
        number >>= 7;
    }
    written.push(number as u8);
}

/// Writes a signed LEB128 integer.
pub fn write_signed(written: &mut Vec<u8>, mut number: i32) {
    loop {
        let byte = (number & 0x7f) as u8;
        number >>= 7;
        let is_last = (number == 0 && byte & 0x40 == 0) || (number == -1 && byte & 0x40 != 0);
        written.push(if is_last { byte } else { byte | 0x80 });
        if is_last {
            return;
        }
    }
}

/// Writes a section with its id and length.
pub fn write_section(written: &mut Vec<u8>, id: u8, body: &[u8]) {
    written.push(id);
    write_unsigned(written, body.len() as u64);
    written.extend_from_slice(body);
}
