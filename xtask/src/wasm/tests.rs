use super::binary::{CODE, CUSTOM, DATA, ELEMENT, EXPORT, FUNCTION, HEADER, TYPE, sections, write_section};
use super::{group_similar_functions, number_locals_by_first_use, remove_panic_locations};

const DATA_START: u32 = 1_048_576;

fn module(parts: &[(u8, &[u8])]) -> Vec<u8> {
    let mut module = b"\0asm\x01\0\0\0".to_vec();
    assert_eq!(module.len(), HEADER);
    for (id, body) in parts {
        write_section(&mut module, *id, body);
    }
    module
}

fn section(module: &[u8], id: u8) -> &[u8] {
    let sections = sections(module).expect("the module is valid");
    let section = sections.iter().find(|section| section.id == id).expect("the module has the section");
    &module[section.body.clone()]
}

/// Two file names, two locations in the first file, one in the second, and a pointer to the second name.
fn data() -> Vec<u8> {
    let words = |words: [u32; 4]| words.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>();
    let mut memory = b"src/one.rs\0\0src/two.rs\0\0".to_vec();
    memory.extend(words([DATA_START, 10, 7, 5]));
    memory.extend(words([DATA_START, 10, 8, 5]));
    memory.extend(words([DATA_START + 12, 10, 9, 5]));
    memory.extend((DATA_START + 12).to_le_bytes());
    let mut data = vec![1, 0, 0x41, 0x80, 0x80, 0xc0, 0x00, 0x0b, memory.len() as u8];
    data.extend(memory);
    data
}

/// `i32.const address`, as `LEB128` with three bytes.
fn constant(address: u32) -> [u8; 5] {
    let byte = |shift: u32| (address >> shift & 0x7f) as u8;
    [0x41, byte(0) | 0x80, byte(7) | 0x80, byte(14) | 0x80, byte(21)]
}

#[test]
fn all_panics_report_one_location() {
    // Function 0 is `core::panic`; function 1 calls it with each location and with another number.
    let mut caller = vec![0];
    for address in [DATA_START + 24, DATA_START + 40, DATA_START + 56, 77] {
        caller.extend(constant(address));
        caller.extend([0x10, 0]);
    }
    caller.push(0x0b);
    let mut code = vec![2, 2, 0, 0x0b, caller.len() as u8];
    code.extend(&caller);
    let name = b"\x04name\x01\x0f\x01\x00\x0c_ZN4core5pan";
    let before = module(&[(CODE, &code), (DATA, &data()), (CUSTOM, name)]);

    let after = remove_panic_locations(&before).expect("the module can be read");

    let first = [0x41, 0x98, 0x80, 0xc0, 0x00, 0x10, 0];
    let code = section(&after, CODE);
    assert_eq!(&code[6..], [&first[..], &first, &first, &constant(77), &[0x10, 0, 0x0b]].concat());
    let memory = &section(&after, DATA)[9..];
    assert_eq!(&memory[..24], b"src/one.rs\0\0src/two.rs\0\0", "both names are still referenced");
    assert_ne!(memory[24..40], [0; 16], "the first location remains");
    assert_eq!(memory[40..72], [0; 32]);
}

#[test]
fn a_location_used_by_other_code_remains() {
    // The callee is not in the standard library, so the number may not be a location.
    let mut caller = vec![0];
    caller.extend(constant(DATA_START + 40));
    caller.extend([0x10, 0, 0x0b]);
    let mut code = vec![2, 2, 0, 0x0b, caller.len() as u8];
    code.extend(&caller);
    let before = module(&[(CODE, &code), (DATA, &data()), (CUSTOM, b"\x04name\x01\x07\x01\x00\x04ours")]);

    let after = remove_panic_locations(&before).expect("the module can be read");

    assert_eq!(section(&after, CODE), code);
    assert_ne!(section(&after, DATA)[9 + 40..9 + 56], [0; 16]);
    assert_eq!(section(&after, DATA)[9 + 56..9 + 72], [0; 16]);
}

#[test]
fn references_to_functions_are_renumbered() {
    // Function 0 has type 1 and calls 2. Functions 1 and 2 have type 0, and 2 precedes 1 by its bytes.
    // Function 1 is exported; the table contains 0 and 2.
    let before = module(&[
        (FUNCTION, &[3, 1, 0, 0]),
        (EXPORT, &[1, 1, b'f', 0, 1]),
        (ELEMENT, &[1, 0, 0x41, 1, 0x0b, 2, 0, 2]),
        (CODE, &[3, 4, 0, 0x10, 2, 0x0b, 3, 0, 0x01, 0x0b, 3, 0, 0x00, 0x0b]),
    ]);

    let after = group_similar_functions(&before).expect("the module can be read");

    let expected = module(&[
        (FUNCTION, &[3, 0, 0, 1]),
        (EXPORT, &[1, 1, b'f', 0, 1]),
        (ELEMENT, &[1, 0, 0x41, 1, 0x0b, 2, 2, 0]),
        (CODE, &[3, 3, 0, 0x00, 0x0b, 3, 0, 0x01, 0x0b, 4, 0, 0x10, 0, 0x0b]),
    ]);
    assert_eq!(after, expected);
}

#[test]
fn functions_that_call_other_functions_are_similar() {
    // All have type 0; 0 and 2 differ in what they call, 1 differs in an instruction.
    let calls = |function: u8, then: u8| [5, 0, 0x10, function, then, 0x0b];
    let code = [&[3][..], &calls(0, 0x01), &calls(1, 0x00), &calls(2, 0x01)].concat();
    let before = module(&[(FUNCTION, &[3, 0, 0, 0]), (CODE, &code)]);

    let after = group_similar_functions(&before).expect("the module can be read");

    let code = [&[3][..], &calls(0, 0x00), &calls(1, 0x01), &calls(2, 0x01)].concat();
    assert_eq!(section(&after, CODE), code);
}

#[test]
fn locals_are_numbered_by_their_first_use_within_a_type() {
    const I32: u8 = 0x7f;
    const I64: u8 = 0x7e;
    // One parameter; the locals 1 and 2 are i32, 3 is i64, 4 is i32 and unused.
    let declared = [3, 2, I32, 1, I64, 1, I32];
    let instructions = [0x20, 2, 0x21, 1, 0x20, 0, 0x21, 2, 0x20, 3, 0x21, 3, 0x0b];
    let body = [&declared[..], &instructions].concat();
    let before = module(&[
        (TYPE, &[1, 0x60, 1, I32, 0]),
        (FUNCTION, &[1, 0]),
        (CODE, &[&[1, body.len() as u8][..], &body].concat()),
    ]);

    let after = number_locals_by_first_use(&before).expect("the module can be read");

    let declared = [2, 3, I32, 1, I64];
    let instructions = [0x20, 1, 0x21, 2, 0x20, 0, 0x21, 1, 0x20, 4, 0x21, 4, 0x0b];
    let body = [&declared[..], &instructions].concat();
    assert_eq!(section(&after, CODE), [&[1, body.len() as u8][..], &body].concat());
}

#[test]
fn invalid_modules_are_rejected() {
    for bytes in
        [&b""[..], b"\0asm", b"\0asm\x01\0\0\0\x0a\xff\xff\xff\xff\x0f", b"\0asm\x01\0\0\0\x0a\x02\x01"]
    {
        assert!(remove_panic_locations(bytes).is_err());
        assert!(group_similar_functions(bytes).is_err());
        assert!(number_locals_by_first_use(bytes).is_err());
    }
}
