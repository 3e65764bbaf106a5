//! The bounds of what is sent and stored. Every reader checks them before it allocates.

/// A frame from a client: undoing the deletion of some hundred thousand rows is one. More goes through the
/// import route.
pub const CLIENT_FRAME_BYTES_MAX: usize = 16 << 20;
/// A frame from the server, apart from one that holds a single larger record.
pub const SERVER_FRAME_BYTES_MAX: usize = 1 << 20;
/// One journal entry; an imported file is one. SQLite's own limit for a value is 1,000,000,000.
pub const RECORD_BYTES_MAX: usize = 256 << 20;
/// A snapshot travels in parts of this many bytes, so that other frames are not stuck behind it for long.
pub const SNAPSHOT_PART_BYTES: usize = 256 << 10;
/// Parts of one snapshot: 1 GiB.
pub const SNAPSHOT_PARTS_MAX: u32 = 4_096;
/// Bytes of a room's name.
pub const ROOM_NAME_BYTES_MAX: usize = 128;
/// Bytes of a person's name or of an author's identity.
pub const AUTHOR_BYTES_MAX: usize = 128;
/// Bytes of a message to a person.
pub const MESSAGE_BYTES_MAX: usize = 1_024;
/// People listed in one presence frame; a bigger room gives their number only.
pub const PEOPLE_MAX: usize = 256;
/// Operations of one transaction.
pub const OPERATIONS_MAX: usize = 1 << 20;
/// Nodes of one formula: its text has at most 8,192 characters, and no character makes more than two.
pub const EXPRESSION_NODES_MAX: usize = 16_384;
/// Bytes of a text in a cell or formula: Excel's 32,767 characters at four bytes each.
pub const TEXT_BYTES_MAX: usize = 131_072;
/// Cells that a block of contents may have beyond what its bytes account for: repeated contents are
/// written once, so a few bytes could otherwise ask for gigabytes.
pub const CELLS_FREE: u64 = 1 << 20;
/// Cells that a block of contents may have per byte beyond [`CELLS_FREE`].
pub const CELLS_PER_BYTE_MAX: u64 = 16;
/// A replica keeps what it had at every revision that this divides until the room has stated its digest.
pub const DIGEST_EVERY: u64 = 32;
/// Ranges that one item is anchored to.
pub const ANCHORS_MAX: usize = 1_000;
/// Values of one item, those in lists and records counted.
pub const ITEM_VALUES_MAX: usize = 20_000;
/// Lists and records within one another.
pub const ITEM_VALUE_DEPTH_MAX: usize = 4;
/// Bytes of a text of an item: a image of a million characters.
pub const ITEM_TEXT_BYTES_MAX: usize = 4_000_000;
/// Items of a sheet, or of the workbook.
pub const ITEMS_MAX: usize = 20_000;
/// Characters of a chat message in the chat, and bytes of so many.
pub const CHAT_MESSAGE_CHARACTERS_MAX: usize = 2_000;
pub const CHAT_MESSAGE_BYTES_MAX: usize = CHAT_MESSAGE_CHARACTERS_MAX * 4;
/// Chat messages that a room keeps, and that one frame may have.
pub const CHAT_MESSAGES_MAX: usize = 500;
