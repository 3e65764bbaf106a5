//! Upper bounds of frames, records and snapshots. Every reader checks them before it allocates.

/// Bytes of a frame from a client. The undo of a deletion of some hundred thousand rows is one
/// frame; larger changes use the import route.
pub const CLIENT_FRAME_BYTES_MAX: usize = 16 << 20;
/// Bytes of a frame from the server, unless it contains a single larger record.
pub const SERVER_FRAME_BYTES_MAX: usize = 1 << 20;
/// Bytes of a record; an imported file is one record. SQLite's limit of a value is 1,000,000,000.
pub const RECORD_BYTES_MAX: usize = 256 << 20;
/// Bytes of one part of a snapshot. Other frames are sent between the parts.
pub const SNAPSHOT_PART_BYTES: usize = 256 << 10;
/// Parts of one snapshot, 1 GiB in all.
pub const SNAPSHOT_PARTS_MAX: u32 = 4_096;
/// Bytes of a room's name.
pub const ROOM_NAME_BYTES_MAX: usize = 128;
/// Bytes of a person's name or of an account.
pub const AUTHOR_BYTES_MAX: usize = 128;
/// Bytes of an e-mail address: RFC 5321, section 4.5.3.1.3, allows 256 with its brackets.
pub const EMAIL_BYTES_MAX: usize = 254;
/// Bytes of a person's picture: a URL, or a small image as a `data:` URL. A token with one has to fit
/// into a header, of which most proxies accept 8 KiB.
pub const PICTURE_BYTES_MAX: usize = 4_096;
/// Bytes of an error message.
pub const MESSAGE_BYTES_MAX: usize = 1_024;
/// People listed in one presence frame. The frame of a larger room has their number only.
pub const PEOPLE_MAX: usize = 256;
/// Operations of one transaction.
pub const OPERATIONS_MAX: usize = 1 << 20;
/// Nodes of one formula. A formula has at most 8,192 characters, and a character adds at most two
/// nodes.
pub const EXPRESSION_NODES_MAX: usize = 16_384;
/// Bytes of a text in a cell or formula: Excel's 32,767 characters at four bytes each.
pub const TEXT_BYTES_MAX: usize = 131_072;
/// Parts of a text with fonts of their own.
pub const TEXT_RUNS_MAX: usize = 1_000;
/// Cells that a block of contents may have whatever its size in bytes. Repeated contents are
/// written once, so without a limit a few bytes could stand for gigabytes.
pub const CELLS_FREE: u64 = 1 << 20;
/// Cells that a block of contents may have per byte, in addition to [`CELLS_FREE`].
pub const CELLS_PER_BYTE_MAX: u64 = 16;
/// Revisions that this divides have digests: a replica keeps its document at such a revision until
/// the room has sent the digest.
pub const DIGEST_EVERY: u64 = 32;
/// Anchors of one item.
pub const ANCHORS_MAX: usize = 1_000;
/// Values of one item, including those in lists and records.
pub const ITEM_VALUES_MAX: usize = 20_000;
/// Nesting depth of lists and records.
pub const ITEM_VALUE_DEPTH_MAX: usize = 6;
/// Bytes of a text in an item. An image is a text of up to a million characters.
pub const ITEM_TEXT_BYTES_MAX: usize = 4_000_000;
/// Items of a sheet or of the workbook.
pub const ITEMS_MAX: usize = 20_000;
/// Characters of a chat message.
pub const CHAT_MESSAGE_CHARACTERS_MAX: usize = 2_000;
/// Bytes of a chat message.
pub const CHAT_MESSAGE_BYTES_MAX: usize = CHAT_MESSAGE_CHARACTERS_MAX * 4;
/// Chat messages that a room keeps, and chat messages of one frame.
pub const CHAT_MESSAGES_MAX: usize = 500;
