//! Writes compound files around workbook streams; fuzz targets use it too.

/// What compound files begin with.
pub const SIGNATURE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
/// Bytes of a sector.
pub const SECTOR: usize = 512;
const ENTRIES_PER_SECTOR: usize = SECTOR / 4;
/// Shorter streams would have to be in the mini stream.
const STREAM_MIN: usize = 4_096;
const END_OF_CHAIN: u32 = 0xffff_fffe;
const FREE: u32 = 0xffff_ffff;
const TABLE: u32 = 0xffff_fffd;

/// A compound file of version 3 with the one stream "Workbook" ([MS-CFB] 2.2 to 2.6). Sector 0 is
/// the directory, then come the sectors of the allocation table, then those of the stream.
pub fn compound_file(stream: &[u8]) -> Vec<u8> {
    let length = stream.len().max(STREAM_MIN);
    let sectors = length.div_ceil(SECTOR);
    // The header itself lists up to 109 sectors of the table: streams of 7 MB.
    let tables = (1..=109).find(|tables| 1 + tables + sectors <= tables * ENTRIES_PER_SECTOR);
    let tables = tables.expect("inputs are smaller");
    let mut file = SIGNATURE.to_vec();
    file.resize(24, 0);
    for number in [0x3e_u16, 3, 0xfffe, 9, 6] {
        file.extend(number.to_le_bytes());
    }
    file.resize(44, 0);
    let header = [tables as u32, 0, 0, STREAM_MIN as u32, END_OF_CHAIN, 0, END_OF_CHAIN, 0];
    let listed = (0..109).map(|index| if index < tables { 1 + index as u32 } else { FREE });
    file.extend(header.into_iter().chain(listed).flat_map(u32::to_le_bytes));

    for (name, kind, child, first, length) in
        [("Root Entry", 5_u8, 1_u32, END_OF_CHAIN, 0), ("Workbook", 2, FREE, 1 + tables as u32, length)]
    {
        let start = file.len();
        file.extend(name.encode_utf16().flat_map(u16::to_le_bytes));
        file.resize(start + 64, 0);
        file.extend((2 * (name.len() as u16 + 1)).to_le_bytes());
        file.extend([kind, 1]);
        file.extend([FREE, FREE, child].into_iter().flat_map(u32::to_le_bytes));
        file.resize(start + 116, 0);
        file.extend([first, length as u32, 0].into_iter().flat_map(u32::to_le_bytes));
    }
    file.resize(2 * SECTOR, 0);

    let first = 1 + tables;
    let next = |sector: usize| match sector {
        0 => END_OF_CHAIN,
        sector if sector < first => TABLE,
        sector if sector + 1 < first + sectors => sector as u32 + 1,
        sector if sector + 1 == first + sectors => END_OF_CHAIN,
        _ => FREE,
    };
    file.extend((0..tables * ENTRIES_PER_SECTOR).map(next).flat_map(u32::to_le_bytes));
    file.extend(stream);
    file.resize((1 + first + sectors) * SECTOR, 0);
    file
}
