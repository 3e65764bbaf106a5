//! Reorders the functions of a module so that similar ones are adjacent, which saves 3 % in brotli:
//! references to nearby bytes take fewer bits. Functions are sorted by type and then by their bytes,
//! because instances of the same generic function mostly start with the same bytes; calls and addresses
//! do not count, because these instances mostly differ in them.

use super::binary::{
    CODE, CUSTOM, ELEMENT, EXPORT, FUNCTION, HEADER, IMPORT, Instruction, Reader, START, sections,
    write_section, write_unsigned,
};

/// Smaller constants are hardly ever addresses of data.
const ADDRESS_MIN: i32 = 1_000;

/// Reorders the functions of a module and renumbers all references to them.
///
/// # Errors
/// When the module cannot be read.
pub fn group_similar_functions(module: &[u8]) -> Result<Vec<u8>, String> {
    let sections = sections(module)?;
    let body = |id: u8| {
        sections.iter().find(|section| section.id == id).map(|section| &module[section.body.clone()])
    };
    let (Some(types), Some(code)) = (body(FUNCTION), body(CODE)) else {
        return Err("the engine's module has no functions".to_owned());
    };
    let imported = body(IMPORT).map_or(Ok(0), functions_imported)?;
    let types = numbers(types)?;
    let bodies = bodies(code)?;
    if types.len() != bodies.len() {
        return Err("the engine's module has more functions than bodies".to_owned());
    }

    let mut order: Vec<usize> = (0..bodies.len()).collect();
    let keys = bodies.iter().map(|body| without_references(body)).collect::<Result<Vec<_>, _>>()?;
    order.sort_by_key(|index| (types[*index], &keys[*index], bodies[*index]));
    let mut new_indices: Vec<u64> = (0..imported + bodies.len() as u64).collect();
    for (new, old) in order.iter().enumerate() {
        new_indices[imported as usize + old] = imported + new as u64;
    }
    let new_indices = NewIndices(new_indices);

    let mut written = module[..HEADER].to_vec();
    for section in sections.iter().filter(|section| section.id != CUSTOM) {
        let body = &module[section.body.clone()];
        let body = match section.id {
            FUNCTION => {
                let mut written = Vec::with_capacity(body.len());
                write_unsigned(&mut written, order.len() as u64);
                order.iter().for_each(|old| write_unsigned(&mut written, types[*old]));
                written
            }
            EXPORT => new_indices.exports(body)?,
            START => {
                let mut written = Vec::new();
                write_unsigned(&mut written, new_indices.get(Reader { bytes: body, at: 0 }.unsigned()?)?);
                written
            }
            ELEMENT => new_indices.elements(body)?,
            CODE => {
                let mut written = Vec::with_capacity(body.len());
                write_unsigned(&mut written, order.len() as u64);
                for old in &order {
                    let body = new_indices.body(bodies[*old])?;
                    write_unsigned(&mut written, body.len() as u64);
                    written.extend_from_slice(&body);
                }
                written
            }
            _ => body.to_vec(),
        };
        write_section(&mut written, section.id, &body);
    }
    Ok(written)
}

/// Number of imported functions.
fn functions_imported(section: &[u8]) -> Result<u64, String> {
    let mut reader = Reader { bytes: section, at: 0 };
    let mut functions = 0;
    for _ in 0..reader.unsigned()? {
        reader.text()?;
        reader.text()?;
        if reader.byte()? != 0 {
            return Err("the engine imports something other than functions".to_owned());
        }
        reader.unsigned()?;
        functions += 1;
    }
    Ok(functions)
}

fn numbers(section: &[u8]) -> Result<Vec<u64>, String> {
    let mut reader = Reader { bytes: section, at: 0 };
    (0..reader.unsigned()?).map(|_| reader.unsigned()).collect()
}

fn bodies(section: &[u8]) -> Result<Vec<&[u8]>, String> {
    let mut reader = Reader { bytes: section, at: 0 };
    (0..reader.unsigned()?)
        .map(|_| {
            let length = reader.unsigned()? as usize;
            let start = reader.at;
            reader.skip(length)?;
            Ok(&section[start..reader.at])
        })
        .collect()
}

/// The body without the functions that it calls and without constants that may be addresses.
fn without_references(body: &[u8]) -> Result<Vec<u8>, String> {
    let mut reader = Reader { bytes: body, at: 0 };
    for _ in 0..reader.unsigned()? {
        reader.unsigned()?;
        reader.byte()?;
    }
    let mut rest = body[..reader.at].to_vec();
    while reader.at < body.len() {
        let start = reader.at;
        let end = match reader.instruction()? {
            Instruction::Call(_) => start + 1,
            Instruction::Constant(constant) if constant > ADDRESS_MIN => start + 1,
            _ => reader.at,
        };
        rest.extend_from_slice(&body[start..end]);
    }
    Ok(rest)
}

/// The new index of each function, by its old index.
struct NewIndices(Vec<u64>);

impl NewIndices {
    fn get(&self, function: u64) -> Result<u64, String> {
        self.0.get(function as usize).copied().ok_or_else(|| format!("unknown function: {function}"))
    }

    fn exports(&self, section: &[u8]) -> Result<Vec<u8>, String> {
        const FUNCTION: u8 = 0;
        let mut reader = Reader { bytes: section, at: 0 };
        let count = reader.unsigned()?;
        let mut written = section[..reader.at].to_vec();
        for _ in 0..count {
            let start = reader.at;
            reader.text()?;
            let kind = reader.byte()?;
            written.extend_from_slice(&section[start..reader.at]);
            let index = reader.unsigned()?;
            write_unsigned(&mut written, if kind == FUNCTION { self.get(index)? } else { index });
        }
        Ok(written)
    }

    /// The element section: the functions of the single table.
    fn elements(&self, section: &[u8]) -> Result<Vec<u8>, String> {
        let mut reader = Reader { bytes: section, at: 0 };
        let segments = reader.unsigned()?;
        for _ in 0..segments {
            if reader.byte()? != 0 {
                return Err("the engine's table has an unexpected kind of element segment".to_owned());
            }
            reader.instruction()?; // offset in the table
            reader.instruction()?; // end
            let functions = reader.unsigned()?;
            let mut written = section[..reader.at].to_vec();
            for _ in 0..functions {
                write_unsigned(&mut written, self.get(reader.unsigned()?)?);
            }
            if segments == 1 {
                return Ok(written);
            }
        }
        Err("the engine's table has several element segments".to_owned())
    }

    fn body(&self, body: &[u8]) -> Result<Vec<u8>, String> {
        let mut reader = Reader { bytes: body, at: 0 };
        for _ in 0..reader.unsigned()? {
            reader.unsigned()?;
            reader.byte()?;
        }
        let mut written = body[..reader.at].to_vec();
        while reader.at < body.len() {
            let start = reader.at;
            match reader.instruction()? {
                Instruction::Call(function) | Instruction::Function(function) => {
                    written.push(body[start]);
                    write_unsigned(&mut written, self.get(function)?);
                }
                _ => written.extend_from_slice(&body[start..reader.at]),
            }
        }
        Ok(written)
    }
}
