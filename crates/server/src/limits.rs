//! Every limit of the server. `docs/configuration.md` lists them; a test compares the two.
//!
//! A limit marked "A setting" is a default. The others are fixed, because clients and stored data
//! rely on them.

pub use quadrille_protocol::limits::AUTHOR_BYTES_MAX;
use quadrille_protocol::limits::CLIENT_FRAME_BYTES_MAX;
use quadrille_workbook::Imported;

/// A limit with its name and the behaviour at the limit.
/// Default of `object_storage_bytes_min`.
pub const OBJECT_BYTES_MIN: usize = 64 << 10;

#[cfg(test)]
pub struct Limit {
    pub name: &'static str,
    pub value: u64,
    /// Behaviour at the limit.
    pub at_the_limit: &'static str,
}

macro_rules! limits {
    ($($(#[doc = $text:literal])* $name:ident: $type:ty = $value:expr, $at:literal;)*) => {
        $($(#[doc = $text])* pub const $name: $type = $value;)*
        /// The limits for the table in the documentation.
        #[cfg(test)]
        pub const ALL: &[Limit] = &[
            $(Limit { name: stringify!($name), value: $value as u64, at_the_limit: $at },)*
        ];
    };
}

limits! {
    /// Bytes of a request body with a file. A setting.
    BODY_BYTES_MAX: usize = 64 << 20, "413 `body_too_large`";
    /// Bytes of a request body with JSON.
    JSON_BYTES_MAX: usize = 16 << 20, "413 `body_too_large`";
    /// Bytes of an image.
    IMAGE_BYTES_MAX: usize = 5 << 20, "413 `body_too_large`";
    /// Bytes of all images of a room, with the files of its forms.
    IMAGES_BYTES_PER_ROOM_MAX: usize = 512 << 20, "413 `too_many_images`";
    /// Approximate bytes of request line and headers.
    HEAD_BYTES_MAX: usize = 64 << 10, "431, connection closed";
    /// Headers of a request.
    HEADERS_MAX: usize = 100, "431, connection closed";
    /// Seconds to send the request line and headers.
    HEAD_SECONDS_MAX: u64 = 10, "connection closed";
    /// Seconds for the handshake of a connection with TLS.
    HANDSHAKE_SECONDS_MAX: u64 = 10, "connection closed";
    /// Bytes of a file with a certificate or its key.
    CERTIFICATE_BYTES_MAX: usize = 1 << 20, "the file is not used";
    /// Seconds between two looks at the files of the certificate.
    CERTIFICATE_CHECK_SECONDS: u64 = 10, "a new certificate is used after this time, or at once after SIGHUP";
    /// Seconds between two parts of a request body.
    BODY_PAUSE_SECONDS_MAX: u64 = 30, "408 `request_timeout`";
    /// Minimum bytes per second of a request body, after `BODY_PAUSE_SECONDS_MAX`.
    BODY_BYTES_PER_SECOND_MIN: usize = 4 << 10, "408 `request_timeout`";
    /// Bytes of a request body that is too long which are read and discarded.
    BODY_DISCARDED_BYTES_MAX: usize = 8 << 20, "the client may lose the answer when the connection ends";
    /// Seconds for which a request body that is too long is read and discarded.
    BODY_DISCARD_SECONDS_MAX: u64 = 2, "the client may lose the answer when the connection ends";
    /// Open connections of the server. A setting.
    CONNECTIONS_MAX: usize = 50_000, "503, connection closed";
    /// Open files reserved for the journal and other uses. If the system's limit of open files is
    /// low, fewer connections are accepted.
    FILES_RESERVED: usize = 64, "503, connection closed";
    /// Sessions of a room. A setting.
    SESSIONS_PER_ROOM_MAX: usize = 50_000, "closed with 1013 `room_full`";
    /// Bytes of a frame of a client, or of its fragments together.
    FRAME_BYTES_MAX: usize = CLIENT_FRAME_BYTES_MAX, "closed with 1009";
    /// Bytes from which a worker handles a frame, so that other rooms do not wait for it.
    HEAVY_FRAME_BYTES: usize = 64 << 10, "later messages of its room wait until it is done";
    /// Seconds from the upgrade to the first frame, `Hello`.
    HELLO_SECONDS_MAX: u64 = 5, "closed with 4408";
    /// Frames of a session that wait for the room's thread.
    FRAMES_IN_FLIGHT_MAX: usize = 64, "the server stops reading the socket until the room has caught up";
    /// Bytes of a room's broadcasts kept for slow clients, and bytes queued for one session alone;
    /// presence is dropped from half of this on. A setting.
    OUTBOX_BYTES_MAX: usize = 4 << 20, "the client resumes from the journal; closed with 4429 when frames for it alone do not fit";
    /// Broadcasts of a room that are kept for slow clients.
    FANOUT_FRAMES_MAX: usize = 4_096, "a client further behind resumes from the journal";
    /// Seconds that a write to a socket can take; longer for long frames, by
    /// `READER_BYTES_PER_SECOND_MIN`.
    WRITE_SECONDS_MAX: u64 = 20, "connection dropped";
    /// Minimum bytes per second at which a client reads a long frame.
    READER_BYTES_PER_SECOND_MIN: usize = 16 << 10, "connection dropped";
    /// Seconds without data after which a session counts as dead; clients ping more often.
    SILENCE_SECONDS_MAX: u64 = 75, "connection dropped";
    /// Rooms in memory. A setting.
    ROOMS_OPEN_MAX: usize = 10_000, "503 `overloaded`, sockets closed with 1013";
    /// Bytes of transactions of all rooms that wait for the journal.
    JOURNAL_QUEUE_BYTES_MAX: usize = 256 << 20, "503 `overloaded` for REST writes";
    /// Bytes of a snapshot written between two commits of the journal. A setting.
    SNAPSHOT_PIECE_BYTES: usize = 128 << 10, "the rest follows after the next commit";
    /// Bytes of snapshots of all rooms that wait to be stored.
    SNAPSHOT_QUEUE_BYTES_MAX: usize = 256 << 20, "the next snapshot is dropped: its room opens more slowly the next time";
    /// Seconds for storing snapshots at an orderly stop, but at most three quarters of the rest of
    /// `drain_seconds`.
    STOP_SNAPSHOT_SECONDS_MAX: u64 = 10, "the other rooms open more slowly the next time";
    /// Transactions per second of a connection, on average. A setting.
    CONNECTION_OPERATIONS_PER_SECOND: u64 = 5_000, "reading is paused; a pause beyond `PAUSE_SECONDS_MAX` closes with 4429 and the time to wait";
    /// Bytes per second of a connection.
    CONNECTION_BYTES_PER_SECOND: u64 = 4 << 20, "as above";
    /// Transactions per second of a room, by all its sessions and REST. A setting.
    ROOM_OPERATIONS_PER_SECOND: u64 = 20_000, "as above; REST gets 429";
    /// Bytes per second of a room.
    ROOM_BYTES_PER_SECOND: u64 = 32 << 20, "as above";
    /// Transactions per second of a client address, by all its sessions and REST. A setting.
    ADDRESS_OPERATIONS_PER_SECOND: u64 = 10_000, "as above";
    /// Bytes per second of a client address.
    ADDRESS_BYTES_PER_SECOND: u64 = 16 << 20, "as above";
    /// Presence frames per second of a connection.
    PRESENCE_PER_SECOND: u64 = 40, "dropped; a later frame replaces them";
    /// Sessions per second that join a room. A setting.
    ROOM_JOINS_PER_SECOND: u64 = 1_000, "closed with 4429 and the time to wait";
    /// Sessions per second that a client address starts. A setting.
    ADDRESS_JOINS_PER_SECOND: u64 = 200, "closed with 4429 and the time to wait";
    /// Sessions of a client address. A setting.
    ADDRESS_CONNECTIONS_MAX: usize = 5_000, "closed with 4429 and the time to wait";
    /// Requests per second of a client address. A setting.
    ADDRESS_REQUESTS_PER_SECOND: u64 = 200, "429 `too_many_requests` with `retry-after`";
    /// Seconds' worth of a rate that can arrive at once after idle time.
    BURST_SECONDS: u64 = 10, "the rates above apply";
    /// Maximum seconds for which reading from a fast connection is paused.
    PAUSE_SECONDS_MAX: u64 = 5, "closed with 4429 and the time to wait";
    /// Seconds to wait, sent to a client whose address has too many sessions.
    PLACE_WAIT_SECONDS: u64 = 10, "the client retries then";
    /// Addresses, and rooms, whose recent usage is remembered.
    RATES_REMEMBERED_MAX: usize = 100_000, "one of them is forgotten and starts with a full burst";
    /// Rows of a page of a list of the admin API.
    ADMIN_PAGE_MAX: usize = 200, "the response says where to continue";
    /// Entries that a search of the admin API reads for one page.
    ADMIN_SCANNED_MAX: usize = 10_000, "the rows found so far; the response says where to continue";
    /// Workbooks that one run of the maintenance deletes, and thousands of entries of the audit log.
    MAINTENANCE_MAX: u64 = 500, "the rest follows an hour later";
    /// Addresses and workbooks whose refused requests are counted within a minute.
    DENIALS_COUNTED_MAX: usize = 1_000, "further ones share one entry of the audit log";
    /// Workbooks, and entries of the audit log, in the export of a person.
    EXPORTED_ENTRIES_MAX: usize = 10_000, "older entries are left out";
    /// Characters of the header that names what an exported or imported file leaves out.
    WARNINGS_HEADER_MAX: usize = 2_000, "the text is cut off";
    /// Losses of a file, by kind and sheet, that the report before a download lists.
    LOSSES_MAX: usize = 500, "further ones are not listed, and the report says so";
    /// Accounts whose use is counted in memory.
    QUOTA_ACCOUNTS_MAX: usize = 100_000, "those without a session are counted anew when they are needed";
    /// Messages that wait for the mail server.
    MAILS_WAITING_MAX: usize = 1_000, "the message is not sent; its link can be sent by hand";
    /// Messages that one account, or one client address without an account, can have sent in a day.
    MAILS_PER_SENDER: u32 = 100, "as above";
    /// Messages to one e-mail address in a day.
    MAILS_PER_ADDRESS: u32 = 10, "as above";
    /// People who wait for mail about comments, each with a workbook.
    NOTIFIED_PEOPLE_MAX: usize = 10_000, "further people are not told, which is counted in `/metrics`";
    /// Comments and tasks of a workbook that are looked at together for mail.
    NOTIFIED_COMMENTS_MAX: usize = 1_000, "nobody is told of further ones";
    /// Hours from writing a comment to its arrival at the server.
    NOTIFIED_COMMENT_HOURS_MAX: u64 = 24, "nobody is told of it by mail";
    /// Comments and tasks that a message lists.
    NOTIFICATIONS_PER_MAIL: usize = 20, "only the number of the others";
    /// Characters of a comment in a message.
    NOTIFIED_TEXT_CHARACTERS_MAX: usize = 300, "cut";
    /// Milliseconds between two looks at new comments.
    NOTIFICATIONS_EVERY_MS: u64 = 1_000, "later comments are found by the next look";
    /// Messages about comments to one account in an hour.
    NOTIFICATION_MAILS_PER_ACCOUNT: u32 = 20, "the message is not sent, which is counted in `/metrics`";
    /// Messages about the comments of one workbook in an hour.
    NOTIFICATION_MAILS_PER_ROOM: u32 = 500, "as above";
    /// Entries of the audit log in five minutes for exports of one workbook in one format by the
    /// same person.
    AUDITED_EXPORTS: u32 = 1, "further exports are not in the log";
    /// Workbooks of an account that are sorted and searched for a list.
    LISTED_WORKBOOKS_MAX: usize = 2_000, "the others, by the name of the room, are not listed";
    /// Workbooks that a request looks up.
    LOOKED_UP_WORKBOOKS_MAX: usize = 100, "400 `bad_request`";
    /// Cells that a REST request reads as JSON.
    CELLS_PER_READ_MAX: u64 = 1_000_000, "413 `too_many_cells`";
    /// Cells that a REST request reads as columns: Parquet, Arrow and csv of a range.
    CELLS_PER_FRAME_MAX: u64 = 5_000_000, "413 `too_many_cells`";
    /// Cells whose contents a REST request writes; formats alone can be set on any range.
    CELLS_PER_WRITE_MAX: u64 = 200_000, "413 `too_many_cells`";
    /// Cells of a preview.
    PREVIEW_CELLS_MAX: u64 = 20_000, "413 `too_many_cells`";
    /// Evaluation steps of a preview.
    PREVIEW_STEPS: u64 = 2_000_000, "formulas not calculated by then are blank, and the response says so";
    /// Milliseconds for which a preview of a changing room is cached.
    PREVIEW_TTL_MS: u64 = 1_000, "made again";
    /// Different previews of a room made in one job.
    PREVIEWS_AT_ONCE: usize = 16, "the others are made in the next job";
    /// Rooms whose clipboard of EtherCalc's commands is kept between requests.
    ETHERCALC_CLIPBOARDS_MAX: usize = 64, "the clipboard that was used least recently is forgotten";
    /// Rooms in one of EtherCalc's lists.
    ETHERCALC_LISTED_ROOMS_MAX: usize = 10_000, "the others, by their name, are not listed";
    /// Cells with a time trigger of EtherCalc, in all rooms.
    ETHERCALC_TRIGGERS_MAX: usize = 10_000, "409 `conflict`";
    /// Messages that one mail formula of EtherCalc sends at its time.
    ETHERCALC_MAILS_PER_TRIGGER: usize = 100, "the others are not sent";
    /// Webhooks of a workbook.
    WEBHOOKS_PER_ROOM_MAX: usize = 20, "409 `conflict`";
    /// Webhooks of all workbooks of the server together.
    SERVER_WEBHOOKS_MAX: usize = 20, "409 `conflict`";
    /// Bytes of the address of a webhook.
    WEBHOOK_URL_BYTES_MAX: usize = 2_000, "400 `bad_request`";
    /// Milliseconds for which changes are collected before a webhook is sent.
    WEBHOOK_BATCH_MS: u64 = 1_000, "what comes later is in the next request";
    /// Revisions of a request of a webhook.
    WEBHOOK_BATCH_REVISIONS_MAX: usize = 100, "the others are in the next request";
    /// Bytes of the revisions of a request of a webhook.
    WEBHOOK_BODY_BYTES_MAX: usize = 256 << 10, "the others are in the next request; the operations of a longer revision are left out, marked with `isTruncated`";
    /// Revisions that are searched for the next request of a webhook.
    WEBHOOK_SCANNED_MAX: usize = 5_000, "the search goes on when other webhooks had their turn";
    /// Seconds that a request of a webhook can take.
    WEBHOOK_SECONDS_MAX: u64 = 15, "it has failed, and is sent again later";
    /// Seconds of `Retry-After` by which a receiver can delay the next attempt.
    WEBHOOK_RETRY_AFTER_SECONDS_MAX: u64 = 3_600, "it is sent again after this time";
    /// Requests of webhooks at once.
    WEBHOOK_DELIVERIES_MAX: usize = 16, "the others wait";
    /// Workbooks that are kept for webhooks of appended rows.
    WEBHOOK_WORKBOOKS_CACHED: usize = 16, "read from the journal";
    /// Dead letters of a webhook.
    WEBHOOK_DEAD_LETTERS_MAX: usize = 1_000, "the oldest one is forgotten";
    /// Imports of a workbook: different calls of IMPORTRANGE and the like, and references to other workbooks.
    IMPORTS_PER_ROOM_MAX: usize = 1_000, "the others are `#N/A`";
    /// Cells of an import.
    IMPORT_CELLS_MAX: u64 = Imported::CELLS_MAX, "`#N/A`";
    /// Bytes of the texts of an import.
    IMPORT_BYTES_MAX: usize = Imported::BYTES_MAX, "`#N/A`";
    /// Approximate bytes of all imports of a workbook.
    IMPORT_BYTES_PER_ROOM_MAX: usize = 16 << 20, "the others are `#N/A`";
    /// Workbooks of a chain of imports.
    IMPORT_CHAIN_MAX: usize = 8, "`#N/A` in the one that imports from too many";
    /// Milliseconds between two updates of the imported data of a workbook.
    IMPORT_EVERY_MS: u64 = 400, "later changes are in the next update";
    /// Milliseconds between two requests for a source of imported data that another server runs.
    IMPORT_ELSEWHERE_EVERY_MS: u64 = 1_000, "later changes are seen by the next request";
    /// Seconds between updates of a workbook whose imports change by nothing but imported data, at most.
    IMPORT_OWN_SECONDS_MAX: u64 = 60, "the time between them doubles until then";
    /// Workbooks whose imported data is updated at once.
    IMPORT_UPDATES_MAX: usize = 8, "the others wait";
    /// Seconds for which what the web has sent for an import is used. It is asked for again while the
    /// workbook is in use.
    IMPORT_FRESH_SECONDS: u64 = 900, "asked for again";
    /// Seconds that a request for an import can take.
    IMPORT_FETCH_SECONDS_MAX: u64 = 15, "`#N/A`, or what was there before; asked again after a minute";
    /// Bytes of a response for an import.
    IMPORT_FETCH_BYTES_MAX: usize = 8 << 20, "`#N/A`";
    /// Redirects of a request for an import; each address is checked.
    IMPORT_REDIRECTS_MAX: usize = 3, "`#N/A`";
    /// Requests for imports at once.
    IMPORT_FETCHES_MAX: usize = 8, "the others are made later";
    /// Requests for imports to one host in a minute.
    IMPORT_FETCHES_PER_HOST_MAX: usize = 60, "the others are made later";
    /// Responses for imports that are kept.
    IMPORT_PAGES_MAX: usize = 256, "those used longest ago are asked for again";
    /// Approximate bytes of the responses for imports that are kept.
    IMPORT_CACHE_BYTES_MAX: usize = 64 << 20, "those used longest ago are asked for again";
    /// Replays of a workbook that a webhook has on their way.
    WEBHOOK_REPLAYS_MAX: usize = 20, "409 `conflict`";
    /// Forms of a workbook.
    FORMS_PER_ROOM_MAX: usize = 20, "409 `conflict`";
    /// Questions of a form, and columns of its table.
    FORM_QUESTIONS_MAX: usize = 100, "400 `bad_request`";
    /// Choices of a question.
    FORM_CHOICES_MAX: usize = 200, "the others cannot be chosen; 400 `bad_request` in a definition";
    /// Bytes of the definition of a form.
    FORM_BYTES_MAX: usize = 64 << 10, "413 `body_too_large`";
    /// Bytes of a response to a form.
    FORM_RESPONSE_BYTES_MAX: usize = 256 << 10, "413 `body_too_large`";
    /// Characters of an answer of a form, as in a cell.
    FORM_ANSWER_CHARACTERS_MAX: usize = 32_767, "422 with the errors of the answers";
    /// Responses to one form by one client address in five minutes.
    FORM_RESPONSES_PER_ADDRESS: u32 = 60, "429 `too_many_requests` with `retry-after`";
    /// Responses to one form in five minutes.
    FORM_RESPONSES_PER_FORM: u32 = 3_000, "429 `too_many_requests` with `retry-after`";
    /// Bytes of a file in a response to a form; questions can ask for less.
    FORM_FILE_BYTES_MAX: usize = 10 << 20, "422 with the errors of the answers";
    /// Files of a response to a form.
    FORM_FILES_MAX: usize = 10, "422 with the errors of the answers; 400 `bad_request` in a definition";
    /// Bytes of all files of a response to a form.
    FORM_FILES_BYTES_MAX: usize = 25 << 20, "413 `body_too_large`";
    /// Bytes of files that one client address sends to one form in an hour.
    FORM_FILES_BYTES_PER_ADDRESS: u32 = 100 << 20, "429 `too_many_requests` with `retry-after`";
    /// Bytes of files that are sent to one form in an hour.
    FORM_FILES_BYTES_PER_FORM: u32 = 256 << 20, "429 `too_many_requests` with `retry-after`";
    /// Bytes of the images of a room from which on forms accept no more files, so that images can be inserted.
    FORM_FILES_BYTES_PER_ROOM_MAX: usize = 448 << 20, "413 `too_many_images`";
    /// Responses with files that are read at once.
    FORM_UPLOADS_MAX: usize = 8, "503 `overloaded`";
    /// Published pages of a workbook.
    PUBLISHED_PER_ROOM_MAX: usize = 20, "409 `conflict`";
    /// Cells of a sheet that a published page shows.
    PUBLISHED_CELLS_MAX: usize = 50_000, "the rows beyond are left out, and the page says so";
    /// Columns of a sheet that a published page shows.
    PUBLISHED_COLUMNS_MAX: usize = 500, "the columns beyond are left out, and the page says so";
    /// Charts of a sheet that a published page shows.
    PUBLISHED_CHARTS_MAX: usize = 100, "the charts beyond are left out, and the page says so";
    /// Bytes of the data of all charts of a published sheet.
    PUBLISHED_CHARTS_BYTES_MAX: usize = 1 << 20, "the charts beyond are left out, and the page says so";
    /// Rows or columns, hidden ones included, that a chart or image covers on a published page.
    PUBLISHED_DRAWING_LINES_MAX: u32 = 1_000, "the page can end before the end of the chart or image";
    /// Milliseconds between two drawings of a published sheet; four times as long as a drawing takes, if that is more.
    PUBLISHED_INTERVAL_MS: u64 = 250, "changes in between are drawn together";
    /// Cells of an update of a published page.
    PUBLISHED_UPDATE_CELLS_MAX: usize = 2_000, "the page is loaded again";
    /// Bytes of an update of a published page.
    PUBLISHED_UPDATE_BYTES_MAX: usize = 1 << 20, "the page is loaded again";
    /// Updates that a published page keeps for readers that are behind.
    PUBLISHED_UPDATES_KEPT: usize = 16, "readers that are further behind load the page again";
    /// Readers of a published sheet on one server.
    PUBLISHED_READERS_MAX: usize = 20_000, "503 `overloaded`; the page shows the state when it was loaded";
    /// Milliseconds that another server waits for changes of a published page, for all of its readers there.
    PUBLISHED_RELAY_WAIT_MS: u64 = 2_000, "it asks again";
    /// Drawn sheets in memory that nobody reads at the moment.
    PUBLISHED_DRAWINGS_KEPT: usize = 100, "the oldest are drawn again when they are needed";
    /// Milliseconds that a request waits for a database that is away.
    STORAGE_WAIT_MS: u64 = 3_000, "503 `storage_failed`; whether the change will be stored is not known";
    /// Requests for rooms of other servers that are relayed at once, with the change feeds among them.
    RELAYED_REQUESTS_MAX: usize = 8_192, "503 `overloaded`";
    /// Sessions in rooms of other servers that are relayed at once.
    RELAYED_SESSIONS_MAX: usize = 20_000, "503 `overloaded`";
    /// Bytes of a request body that are kept, so that the request can be sent to the next server of its room.
    RELAY_KEPT_BODY_BYTES: usize = 64 << 10, "a longer body is sent once; 503 `room_elsewhere` when the room changes servers meanwhile";
    /// Milliseconds that a request waits for the room of a server that does not answer.
    RELAY_OWNER_WAIT_MS: u64 = 3_000, "503 `room_elsewhere`, sessions closed with 1012";
    /// Seconds to connect to another server.
    RELAY_CONNECT_SECONDS_MAX: u64 = 5, "the server counts as one that does not answer";
    /// Bytes of one message between two servers.
    RELAY_MESSAGE_BYTES_MAX: usize = 256 << 20, "the connection between them is closed; sessions are closed with 1012";
    /// Bytes of a client that are on the way to the server of its room.
    RELAY_WINDOW_BYTES: usize = 256 << 10, "the client's connection is not read";
    /// Seconds without a byte from another server, which answers every 5 seconds.
    RELAY_SILENCE_SECONDS_MAX: u64 = 15, "the connection to it is closed; sessions are closed with 1012";
    /// Numbers of requests by which a request of another server that arrives twice is known. A multiple of 64.
    RELAY_NUMBERS_KEPT: u64 = 1 << 20, "a request that arrives after so many later ones is refused with 421";
    /// Servers that relay requests to this one within two minutes; each takes 128 KiB.
    RELAY_SENDERS_MAX: usize = 256, "503 `overloaded`";
    /// Free connections to another server that are kept.
    RELAY_CONNECTIONS_KEPT: usize = 64, "the others are closed";
    /// Change feeds of a room.
    FEEDS_PER_ROOM_MAX: usize = 5_000, "503 `overloaded`";
    /// Revisions that a change feed sends at once.
    FEED_REVISIONS_MAX: u64 = 500, "the others follow";
    /// Seconds that a request waits for changes.
    FEED_WAIT_SECONDS_MAX: u64 = 60, "an empty list; the client asks again";
    /// Seconds between two signs of life of a change feed without changes.
    FEED_ALIVE_SECONDS: u64 = 15, "a line without an event is sent";
    /// Pages of a room's changes that its feeds share.
    FEED_PAGES_SHARED: usize = 8, "a feed that is further behind reads the journal itself";
    /// Cells of a revision that a change feed lists with their contents.
    FEED_CELLS_MAX: usize = 10_000, "the range only, marked with `isTruncated`";
    /// Operations of a revision that a change feed lists.
    FEED_OPERATIONS_MAX: usize = 1_000, "only their number, marked with `isTruncated`";
    /// Cells whose values a change feed sends at once with `include=values`.
    FEED_VALUES_MAX: u64 = 100_000, "the range only, marked with `isTruncated`";
    /// Bytes of a message of EtherCalc's WebSocket.
    ETHERCALC_MESSAGE_BYTES_MAX: usize = 1 << 20, "closed with 1009";
    /// Messages between EtherCalc's clients of a room, such as cursors, that wait for a slow one; and their
    /// commands and chat messages of which the names are known.
    ETHERCALC_RELAYED_MAX: usize = 256, "the slow client misses the oldest ones";
    /// Rooms replaced by `PUT /_/{room}` whose earlier chat EtherCalc's clients do not get.
    ETHERCALC_REPLACED_MAX: usize = 10_000, "the chat of the room replaced first is complete again";
    /// Commands sent to a client of EtherCalc that count as not yet carried out there.
    ETHERCALC_UNSEEN_MAX: usize = 64, "the client gets the whole sheet after its next command";
    /// Seconds after which commands sent to a client of EtherCalc count as carried out there.
    ETHERCALC_UNSEEN_SECONDS: u64 = 30, "a conflict with a later command of that client is not noticed";
    /// Seconds in which a client of EtherCalc asks for the sheet after it has connected.
    ETHERCALC_LOG_SECONDS: u64 = 2, "it counts as a client that connects again and gets the whole sheet";
    /// Seconds without commands after which a page of EtherCalc that got the whole sheet gets it once more.
    ETHERCALC_REPEAT_SECONDS: u64 = 2, "five times this, if commands do not cease";
    /// Clients of EtherCalc that are connected by socket.io.
    ETHERCALC_SOCKETIO_SESSIONS_MAX: usize = 10_000, "503 `overloaded`";
    /// Rooms that a client of socket.io has open.
    ETHERCALC_SOCKETIO_ROOMS_MAX: usize = 16, "messages for further rooms are answered with `error`";
    /// Other rooms of whose changes a client of EtherCalc is told, because its formulas refer to them.
    ETHERCALC_RECALC_ROOMS_MAX: usize = 32, "changes of further rooms are not told";
    /// Revisions in a response of a room's history.
    HISTORY_REVISIONS_MAX: u64 = 500, "the response says where to continue";
    /// Named versions of a workbook.
    NAMED_VERSIONS_MAX: usize = 500, "422 `bad_command`";
    /// Revisions searched for a response of a cell's history.
    HISTORY_SCANNED_MAX: u64 = 20_000, "the revisions found so far; the response says where to continue";
    /// Revisions from the first one that an undo reverts to the newest.
    UNDO_REVISIONS_MAX: u64 = 5_000, "422 `bad_command`";
    /// Cells that are compared of two revisions.
    DIFFERENCES_COMPARED_MAX: u64 = 2_000_000, "the response says which sheets are not complete";
    /// Different cells of a sheet in a response.
    DIFFERENCES_SHOWN_MAX: u64 = 5_000, "only the number of the others";
    /// Runs of rows or columns that stayed together between two revisions.
    DIFFERENCES_RUNS_MAX: usize = 1_000, "cells are compared with those at the same address";
    /// Operations of a revision in a response.
    HISTORY_OPERATIONS_SHOWN_MAX: usize = 50, "only the number of the others";
    /// Cells of an operation that are listed.
    HISTORY_CELLS_SHOWN_MAX: usize = 20, "only their number";
    /// Characters of the description of an operation.
    HISTORY_WORDS_MAX: usize = 200, "truncated";
    /// Seconds for replaying a past workbook.
    HISTORY_SECONDS_MAX: u64 = 30, "503 `overloaded`";
    /// Past workbooks in the cache.
    HISTORY_WORKBOOKS_CACHED: usize = 8, "the least recently read one is dropped";
    /// Agents in rooms, over all rooms.
    AGENTS_MAX: usize = 200, "the tool answers `overloaded`";
    /// Threads on which agents read, calculate and compare workbooks.
    AGENT_WORKERS_MAX: usize = 4, "the call waits for its turn";
    /// Seconds without a call after which an agent leaves its room, and its undo steps with it.
    AGENT_IDLE_SECONDS_MAX: u64 = 600, "the agent leaves";
    /// Characters of the name of an agent.
    AGENT_NAME_CHARACTERS_MAX: usize = 60, "truncated";
    /// Cells that an agent reads in one call.
    AGENT_CELLS_PER_READ_MAX: u64 = 10_000, "the tool answers `too_many_cells`";
    /// Names in the query `fields`.
    FIELD_NAMES_MAX: usize = 100, "400 `bad_query`";
    /// Items of a page of a list of items with `limit`.
    ITEMS_PER_PAGE_MAX: usize = 10_000, "the response says where to continue";
    /// Characters of an idempotency key.
    IDEMPOTENCY_KEY_BYTES_MAX: usize = 255, "400 `bad_request`";
    /// Hours for which an idempotency key is remembered.
    IDEMPOTENCY_KEY_HOURS: u64 = 24, "a repeated request is carried out again";
    /// Idempotency keys of a workbook.
    IDEMPOTENCY_KEYS_PER_ROOM_MAX: usize = 10_000, "the oldest one is forgotten";
    /// Bytes of the answer to a request with an idempotency key that are stored.
    IDEMPOTENCY_ANSWER_BYTES_MAX: usize = 4 << 10, "a repeated request gets its answer from the journal";
    /// Commands of a batch.
    COMMANDS_PER_BATCH_MAX: usize = 1_000, "400 `bad_json`";
    /// Changed cells that are listed for an edit of an agent.
    AGENT_CHANGED_CELLS_SHOWN_MAX: usize = 200, "only the number of the others";
    /// Cells that a search of an agent lists.
    AGENT_MATCHES_SHOWN_MAX: usize = 200, "only the number of the others";
    /// Items that are listed for an agent.
    AGENT_ITEMS_SHOWN_MAX: usize = 200, "only the number of the others";
    /// Precedents of a formula that are listed for an agent.
    AGENT_PRECEDENTS_SHOWN_MAX: usize = 100, "the others are left out";
    /// Failed attempts to sign in to an account, and with its password elsewhere, in five minutes.
    SIGN_IN_ATTEMPTS_PER_ACCOUNT: u32 = 20, "429 `too_many_requests` with `retry-after`";
    /// Failed attempts to sign in of a client address in five minutes.
    SIGN_IN_ATTEMPTS_PER_ADDRESS: u32 = 100, "429 `too_many_requests` with `retry-after`";
    /// Refused credentials of a client address that are written to the audit log in five minutes.
    AUDITED_REFUSALS_PER_ADDRESS: u32 = 50, "not written to the audit log; the answer is the same";
    /// Browsers that are signed in to an account.
    SESSIONS_PER_ACCOUNT_MAX: usize = 100, "the oldest one is signed out";
    /// Minutes after a sign-in in which somebody can change how one signs in to the account.
    RECENT_SIGN_IN_MINUTES: u64 = 30, "403 `sign_in_again`";
    /// API tokens of an account.
    TOKENS_PER_ACCOUNT_MAX: usize = 100, "409 `conflict`";
    /// Workbooks that an API token names.
    ROOMS_PER_TOKEN_MAX: usize = 100, "400 `bad_request`";
    /// Seconds after which the secret of a session is replaced.
    SESSION_RENEWED_AFTER_SECONDS: u64 = 86_400, "the next answer has a new cookie";
    /// Seconds for which a replaced secret of a session is accepted, for requests sent at the same
    /// time.
    SESSION_GRACE_SECONDS: u64 = 60, "the session ends: somebody has a copy of the cookie";
    /// Hours for which a sign-in link is valid.
    SIGN_IN_LINK_HOURS: u64 = 168, "401 `sign_in_failed`";
    /// Minutes for which a link to replace a forgotten password is valid.
    RECOVERY_LINK_MINUTES: u64 = 60, "401 `sign_in_failed`";
    /// Requests of a client address, in five minutes, for links to replace forgotten passwords.
    RECOVERIES_PER_ADDRESS: u32 = 20, "429 `too_many_requests` with `retry-after`";
    /// Links in a day to replace the forgotten password of one account.
    RECOVERIES_PER_ACCOUNT: u32 = 5, "no message is sent; the answer is the same";
    /// Evaluation steps of one slice when a workbook is read over REST.
    EVALUATION_STEPS: u64 = 5_000_000, "other work gets a turn, then the next slice follows, until `EVALUATION_SECONDS_MAX`";
    /// Seconds for calculating a workbook that is read over REST.
    EVALUATION_SECONDS_MAX: u64 = 30, "503 `overloaded`; the next read continues the calculation";
    /// Seconds that a sign-in at a provider can take.
    SIGN_IN_SECONDS_MAX: u64 = 600, "401 `sign_in_failed`; the person begins again";
    /// States of sign-ins that are remembered, so that each is used once.
    SIGN_IN_STATES_REMEMBERED_MAX: usize = 50_000, "503 `overloaded` until some expire";
    /// Requests to an OpenID Connect provider at once.
    PROVIDER_REQUESTS_MAX: usize = 16, "503 `overloaded`";
    /// Seconds that a request to a provider can take.
    PROVIDER_SECONDS_MAX: u64 = 10, "502 `provider_failed`";
    /// Bytes of a provider's response.
    PROVIDER_RESPONSE_BYTES_MAX: u64 = 1 << 20, "502 `provider_failed`";
    /// Seconds for which a provider's addresses and keys are cached.
    PROVIDER_METADATA_SECONDS_MAX: u64 = 3_600, "asked again";
    /// Minimum seconds between two requests for a provider's keys because of an unknown one.
    PROVIDER_METADATA_SECONDS_MIN: u64 = 60, "the token is refused";
    /// Seconds for which a provider that did not answer is not asked again.
    PROVIDER_FAILURE_SECONDS: u64 = 5, "502 `provider_failed`";
    /// Seconds from the options of a passkey to its answer.
    PASSKEY_SECONDS_MAX: u64 = 300, "401 `sign_in_failed`; the person begins again";
    /// Passkeys of an account.
    PASSKEYS_PER_ACCOUNT_MAX: usize = 20, "409 `conflict`";
    /// Identities at providers of an account.
    IDENTITIES_PER_ACCOUNT_MAX: usize = 20, "409 `conflict`";
    /// Seconds for which a signed token of a host application is valid.
    HOST_TOKEN_SECONDS_MAX: u64 = 86_400, "401 `bad_credentials`";
    /// Workbooks that a signed token of a host application names.
    HOST_TOKEN_ROOMS_MAX: usize = 100, "401 `bad_credentials`; use `room_prefix`";
    /// Seconds for which the published keys of a host are kept.
    HOST_KEYS_SECONDS_MAX: u64 = 600, "fetched again";
    /// Minimum seconds between two requests for the published keys of a host.
    HOST_KEYS_SECONDS_MIN: u64 = 30, "the known keys are used";
    /// Seconds that fetching the published keys of a host can take.
    HOST_KEYS_FETCH_SECONDS_MAX: u64 = 5, "the known keys are used; without any, 503 `overloaded`";
    /// Bytes of the published keys of a host.
    HOST_KEYS_BYTES_MAX: u64 = 256 << 10, "as above";
    /// Published keys of a host.
    HOST_KEYS_MAX: usize = 100, "as above";
    /// Bytes of a snapshot or image that becomes an object, at least, whatever `object_storage_bytes_min` says.
    OBJECT_BYTES_FLOOR: usize = 1 << 10, "it stays in the storage";
    /// Seconds that a request to the object store may take.
    OBJECT_REQUEST_SECONDS_MAX: u64 = 30, "tried again three times, then the object store counts as away";
    /// Snapshots that are read from the object store at the same time.
    OBJECT_READERS: usize = 4, "the next one waits";
    /// Hours for which an object stays that nothing refers to.
    OBJECT_UNREFERENCED_HOURS: u64 = 24, "it is removed by the next sweep, once a day";
    /// Bytes of a segment of a backup, uncompressed, or one snapshot or image if it is larger.
    BACKUP_SEGMENT_BYTES: usize = 16 << 20, "the next segment begins";
    /// Bytes of the last increment of a backup that is followed, uncompressed.
    BACKUP_INCREMENT_BYTES: usize = 1 << 20, "the next increment begins";
    /// Bytes of the increments after a full backup, at least, before they count as too large.
    BACKUP_INCREMENTS_BYTES_MIN: u64 = 64 << 20, "with as many bytes as the full backup, a new one is made";
    /// Bytes of a file of a backup in a bucket.
    BACKUP_FILE_BYTES_MAX: u64 = 1 << 30, "the file is not written, and the backup fails";
    /// Milliseconds between two looks of a backup that is followed.
    BACKUP_POLL_MS: u64 = 200, "changes are backed up together";
    /// Milliseconds until a failed step of a backup that is followed is tried again.
    BACKUP_RETRY_MS: u64 = 1_000, "tried again";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_is_documented_with_its_value() {
        let documentation = include_str!("../../../docs/configuration.md");
        for limit in ALL {
            let row = format!("| `{}` | {} |", limit.name, limit.value);
            let documented = documentation.lines().find(|line| line.starts_with(&row));
            let documented =
                documented.unwrap_or_else(|| panic!("docs/configuration.md lacks the row {row}"));
            assert!(documented.ends_with(&format!("| {} |", limit.at_the_limit)), "{documented}");
        }
    }
}
