//! [`Engine`]: the replica with its outgoing frames, its notices to the client and the viewport.

use std::collections::VecDeque;
use std::sync::Arc;

use quadrille_cell::{Dimension, EditKind, Range, SheetId};
use quadrille_document::{Changes, Document};
use quadrille_formula::FunctionNames;
use quadrille_operation::{Command, Locale, print_color, read_color};
use quadrille_protocol::{ClientFrame, Presence, Role};
use quadrille_replica::{Effect, Event, LocaleSettings, Replica, Status as ReplicaStatus, Timestamp};
use quadrille_viewport::{cell_markers, cell_window, sheet_dimensions};

use quadrille_viewport::view_settings::ViewSettings;
use quadrille_workbook::{Color, Field, ItemId, Sheet};

use crate::messages::{
    BrokenRule, ClientEvent, Notice, Opening, Person, RowsOrColumns, SheetRange, SheetTab, Status,
};
use crate::trace::Trace;
use crate::{error_messages, persistence, search};

/// Bit of the result of [`Engine::evaluate`]: the calculation is finished. The other bits are set
/// only together with this one.
pub const FINISHED: u32 = 1;
/// Visible cells may look different.
pub const VIEW_CHANGED: u32 = 2;
/// Sizes, hidden rows or the used extent of the visible sheet may have changed.
pub const SHAPE_CHANGED: u32 = 4;
/// Something in the document changed.
pub const ANYTHING_CHANGED: u32 = 8;

/// Maximum number of visible ranges: frozen rows and columns divide a sheet into four panes.
const VIEW_PARTS_MAX: usize = 4;

/// The state of the engine between two calls.
pub struct Engine {
    replica: Replica,
    frames: VecDeque<Vec<u8>>,
    notices: Vec<Notice>,
    /// A snapshot or a persisted state has been loaded.
    is_ready: bool,
    /// The viewport: the visible sheet and the ranges that the grid draws.
    view: Option<(SheetId, Vec<Range>)>,
    /// The scrolling range of the viewport at the last tick.
    view_ticked: Option<(SheetId, Range)>,
    /// The used extent (rows, columns) of the visible sheet in the last encoded dimensions.
    reported_extent: Option<(u32, u32)>,
    /// The ranges that the panels of the visible sheet show in the last encoded dimensions.
    reported_panels: Option<Vec<Range>>,
    reported_sheets: Vec<SheetTab>,
    reported_status: Option<Status>,
    reported_history: (bool, bool),
    /// Changes since the calculation was last finished; reported when it is finished.
    changes: Changes,
    /// The whole document or the view settings changed since the calculation was last finished.
    is_replaced: bool,
    /// The client receives [`Notice::Cells`].
    is_watched: bool,
    /// Present while the client records a trace.
    trace: Option<Trace>,
    view_settings: ViewSettings,
    /// Unix time of the last event.
    time_ms: i64,
}

impl Engine {
    /// An engine with an empty workbook, not connected.
    pub fn new(opening: &Opening) -> Engine {
        let [high, low] = opening.seed.map(u64::from);
        let mut replica =
            Replica::new(Arc::from(opening.name.as_str()), Some(opening.color), high << 32 | low);
        if opening.keeps {
            replica.enable_persistence();
        }
        Engine {
            replica,
            frames: VecDeque::new(),
            notices: Vec::new(),
            is_ready: false,
            view: None,
            view_ticked: None,
            reported_extent: None,
            reported_panels: None,
            reported_sheets: Vec::new(),
            reported_status: None,
            reported_history: (false, false),
            changes: Changes::default(),
            is_replaced: false,
            is_watched: false,
            trace: None,
            view_settings: ViewSettings::default(),
            time_ms: 0,
        }
    }

    /// The document of the replica, with unconfirmed transactions applied.
    pub fn document(&self) -> &Document {
        self.replica.document()
    }

    /// The first cell whose new input would be rejected by a data validation rule, if `command`
    /// ran.
    pub fn first_invalid_cell(&self, mut command: Command) -> Option<BrokenRule> {
        self.add_hidden_rows(&mut command);
        let broken = self.replica.first_invalid_cell(Timestamp { unix_ms: self.time_ms }, &command)?;
        Some(BrokenRule { sheet: broken.sheet.0, cell: broken.cell.into(), item: broken.rule.0 })
    }

    /// Adds the rows hidden by the user's filter view to a command on visible rows.
    fn add_hidden_rows(&self, command: &mut Command) {
        if let Command::VisibleRows { sheet, hidden, .. } = command
            && hidden.is_empty()
        {
            let view = self.filter_view(SheetId(*sheet));
            *hidden = self.document().filtered_rows(SheetId(*sheet), view);
        }
    }

    /// Handles an event of the client at a Unix time.
    pub fn event(&mut self, event: ClientEvent, time_ms: i64) {
        self.time_ms = time_ms;
        let event = match event {
            ClientEvent::Connected => Event::Connected,
            ClientEvent::Disconnected { code } => Event::Disconnected { code },
            ClientEvent::Tick => {
                self.send_view(time_ms);
                Event::Tick
            }
            ClientEvent::Ping => {
                self.frames.push_back(ClientFrame::Ping.encode());
                return;
            }
            ClientEvent::Command { mut command } => {
                self.add_hidden_rows(&mut command);
                Event::Command(command)
            }
            ClientEvent::Automatic { command } => Event::Automatic(command),
            ClientEvent::Replace { search, with } => match search::replace(self.document(), &search, &with) {
                Ok((command, cells)) => {
                    self.notices.push(Notice::Replaced { cells });
                    Event::Command(command)
                }
                Err(error) => {
                    self.notices.push(error_messages::of_search(&error));
                    return;
                }
            },
            ClientEvent::Undo => Event::Undo,
            ClientEvent::Redo => Event::Redo,
            ClientEvent::Select { sheet, selection, is_editing } => {
                Event::Select(Presence { sheet: SheetId(sheet), selection: selection.into(), is_editing })
            }
            ClientEvent::Rename { name, color } => {
                Event::Rename { name: Arc::from(name.as_str()), color: Some(color) }
            }
            ClientEvent::Trace { is_on } => {
                self.trace = is_on.then(Trace::default);
                return;
            }
            ClientEvent::ShowFormulas { shows } => {
                self.view_settings.shows_formulas = shows;
                self.is_replaced = true;
                return;
            }
            ClientEvent::ShowPanels => {
                self.view_settings.shows_panels = true;
                self.view_settings.is_opening = true;
                self.is_replaced = true;
                return;
            }
            ClientEvent::OpenFilterView { sheet, item } => {
                self.view_settings.open_filter_view(SheetId(sheet), item.map(ItemId));
                self.is_replaced = true;
                return;
            }
            ClientEvent::Locale { language, utc_offset_minutes, is_r1c1, names } => {
                Event::Locale(LocaleSettings {
                    locale: Locale::from_tag(&language),
                    utc_offset_minutes,
                    is_r1c1,
                    names: Arc::new(FunctionNames::new(names.iter().map(String::as_str))),
                })
            }
            ClientEvent::Identified { account, email } => {
                Event::Identified { account: account.into(), email: email.into() }
            }
            ClientEvent::Watch => {
                self.is_watched = true;
                return;
            }
        };
        self.handle(event, time_ms);
    }

    /// Sends the viewport to the room when it has not changed between two ticks. In large rooms the
    /// server sends presence only of people near the viewport.
    fn send_view(&mut self, time_ms: i64) {
        let view = self.view.as_ref().and_then(|(sheet, ranges)| Some((*sheet, *ranges.last()?)));
        let before = std::mem::replace(&mut self.view_ticked, view);
        if let Some((sheet, view)) = view.filter(|_| before == view) {
            // The replica sends a view once, and again after it reconnects.
            self.handle(Event::View { sheet, view }, time_ms);
        }
    }

    /// Handles a frame of the server at a Unix time.
    pub fn frame(&mut self, bytes: &[u8], time_ms: i64) {
        if let Some(trace) = &mut self.trace {
            trace.record_received(bytes);
        }
        self.handle(Event::Frame(bytes), time_ms);
    }

    fn handle(&mut self, event: Event<'_>, time_ms: i64) {
        for effect in self.replica.handle(Timestamp { unix_ms: time_ms }, event) {
            match effect {
                Effect::Send(bytes) => {
                    if let Some(trace) = &mut self.trace {
                        trace.record_sent(self.replica.replica_id(), &bytes);
                    }
                    self.frames.push_back(bytes);
                }
                Effect::Status(status) => {
                    self.is_ready |= matches!(status, ReplicaStatus::Saved | ReplicaStatus::Saving { .. });
                }
                Effect::People => self.report_people(),
                Effect::Problem(problem) => {
                    self.notices.push(error_messages::of(&problem));
                }
                Effect::Close { should_reconnect } => {
                    self.notices.push(Notice::Close { again: should_reconnect })
                }
            }
        }
    }

    /// Reports insertions, deletions and moves of rows and columns.
    fn report_structural_edits(&mut self) {
        for (edit, is_own) in self.replica.take_structural_edits() {
            self.notices.push(Notice::Moved {
                sheet: edit.sheet.0,
                lines: match edit.dimension {
                    Dimension::Rows => RowsOrColumns::Rows,
                    Dimension::Columns => RowsOrColumns::Columns,
                },
                first: edit.at,
                count: edit.count,
                is_insert: edit.kind == EditKind::Insert,
                is_own,
                to: match edit.kind {
                    EditKind::Move { to } => Some(to),
                    EditKind::Insert | EditKind::Delete => None,
                },
            });
        }
    }

    /// Whether the replica has changes to persist, and whether they must be persisted before a
    /// frame is sent.
    pub fn persistence_due(&self) -> (bool, bool) {
        self.replica.persistence_due()
    }

    /// Takes the changes to persist, encoded; empty when there are none.
    pub fn take_persisted(&mut self) -> Vec<u8> {
        self.replica.take_persisted().as_ref().map(persistence::encode).unwrap_or_default()
    }

    /// Restores a persisted state.
    ///
    /// # Errors
    /// When the bytes are damaged or the replica cannot read them; the error is a message for
    /// people.
    pub fn restore(&mut self, bytes: &[u8], is_copy: bool) -> Result<(), String> {
        let restored = persistence::decode(bytes).ok_or("the persisted state is damaged")?;
        self.replica.restore(&restored, is_copy).map_err(|error| error.to_string())?;
        self.is_ready = true;
        Ok(())
    }

    /// Takes the next frame for the server.
    pub fn next_frame(&mut self) -> Option<Vec<u8>> {
        self.frames.pop_front()
    }

    /// Evaluates for about `steps` steps. Returns `FINISHED` and its companion bits, or 0 while
    /// the calculation is not finished; changes are reported only when it is.
    pub fn evaluate(&mut self, steps: u64) -> u32 {
        let is_finished = self.replica.evaluate(steps);
        let (changes, is_replaced) = self.replica.take_changes();
        self.changes.merge(changes);
        self.is_replaced |= is_replaced;
        if !is_finished {
            return 0;
        }
        let changes = std::mem::take(&mut self.changes);
        let is_replaced = std::mem::take(&mut self.is_replaced);
        self.report_items(&changes, is_replaced);
        self.report_cells(&changes, is_replaced);
        let mut result = FINISHED;
        self.view_settings.is_opening &= !self.is_ready;
        if is_replaced || !changes.is_empty() {
            result |= ANYTHING_CHANGED;
        }
        let Some((sheet, ranges)) = &self.view else { return result };
        let sheet = *sheet;
        let is_in_view = |(changed, cells): &(SheetId, Range)| {
            *changed == sheet && ranges.iter().any(|range| cells.intersects(*range))
        };
        let filters = |(changed, cells): &(SheetId, Range)| {
            *changed == sheet && self.document().affects_filters(sheet, *cells)
        };
        let shown =
            self.document().workbook().sheet(sheet).and_then(|it| self.view_settings.shown_ranges(it));
        let has_new_dimensions = shown != self.reported_panels
            || changes.geometry.contains(&sheet)
            || changes.items.contains(&Some(sheet))
            || changes.ranges.iter().any(filters)
            || (result & ANYTHING_CHANGED != 0 && self.document().filters_by_conditional_color(sheet));
        // A conditional format may depend on cells anywhere.
        let has_nonlocal_formats = result & ANYTHING_CHANGED != 0
            && cell_markers::has_nonlocal_formats(self.document(), sheet, ranges);
        if is_replaced || has_new_dimensions || has_nonlocal_formats || changes.ranges.iter().any(is_in_view)
        {
            result |= VIEW_CHANGED;
        }
        if is_replaced
            || has_new_dimensions
            || (result & ANYTHING_CHANGED != 0
                && self.reported_extent != Some(sheet_dimensions::used_extent(self.document(), sheet)))
        {
            result |= SHAPE_CHANGED;
        }
        result
    }

    /// Encodes a range and adds it to the viewport; with `is_first` it replaces the viewport. If `rows` are
    /// listed, these rows of the range are encoded in their order.
    pub fn window(&mut self, sheet: SheetId, range: Range, rows: &[u32], is_first: bool) -> Vec<u8> {
        match &mut self.view {
            Some((_, ranges)) if !is_first && ranges.len() < VIEW_PARTS_MAX => ranges.push(range),
            view => *view = Some((sheet, vec![range])),
        }
        cell_window::encode(self.document(), sheet, range, rows, &self.view_settings)
    }

    /// Encodes a range like [`window`](Self::window) without changing the viewport.
    pub fn detached_window(&self, sheet: SheetId, range: Range) -> Vec<u8> {
        cell_window::encode(self.document(), sheet, range, &[], &self.view_settings)
    }

    /// The filter view that is open on a sheet.
    pub fn filter_view(&self, sheet: SheetId) -> Option<ItemId> {
        self.view_settings.filter_view(sheet)
    }

    /// Encodes the used extent and the row and column sizes of a sheet.
    pub fn sheet_dimensions(&mut self, sheet: SheetId) -> Vec<u8> {
        self.reported_extent = Some(sheet_dimensions::used_extent(self.document(), sheet));
        let workbook = self.document().workbook();
        self.reported_panels = workbook.sheet(sheet).and_then(|sheet| self.view_settings.shown_ranges(sheet));
        sheet_dimensions::encode(self.document(), sheet, &self.view_settings)
    }

    /// Takes the notices since the last call, and those about sheets, history and status that
    /// changed.
    pub fn take_notices(&mut self) -> Vec<Notice> {
        self.report_structural_edits();
        self.report_sheets();
        self.report_history();
        self.report_status();
        self.notices.extend(self.trace.as_mut().and_then(Trace::take));
        std::mem::take(&mut self.notices)
    }

    fn report_sheets(&mut self) {
        if !self.is_ready {
            return;
        }
        let sheets = self.replica.document().workbook().sheets();
        let is_reported = sheets.len() == self.reported_sheets.len()
            && sheets.iter().zip(&self.reported_sheets).all(|(sheet, tab)| is_equal_tab(sheet, tab));
        if is_reported {
            return;
        }
        self.reported_sheets = sheets.iter().map(|sheet| tab(sheet)).collect();
        self.notices.push(Notice::Sheets { sheets: self.reported_sheets.clone() });
    }

    fn report_items(&mut self, changes: &Changes, is_replaced: bool) {
        let sheets: Vec<u32> = match is_replaced {
            true => self.document().workbook().sheets().iter().map(|sheet| sheet.id().0).collect(),
            false => changes.items.iter().flatten().map(|sheet| sheet.0).collect(),
        };
        let workbook = is_replaced || changes.items.contains(&None);
        if workbook || !sheets.is_empty() {
            self.notices.push(Notice::Items { sheets, workbook });
        }
    }

    fn report_cells(&mut self, changes: &Changes, is_replaced: bool) {
        if !self.is_watched || !self.is_ready {
            return;
        }
        let sheet_range =
            |(sheet, range): (SheetId, Range)| SheetRange { sheet: sheet.0, range: range.into() };
        let ranges: Vec<SheetRange> = match is_replaced {
            true => {
                let sheets = self.document().workbook().sheets().iter();
                sheets.map(|sheet| sheet_range((sheet.id(), Range::whole_sheet()))).collect()
            }
            false => changes.ranges.iter().copied().map(sheet_range).collect(),
        };
        if !ranges.is_empty() {
            self.notices.push(Notice::Cells { ranges });
        }
    }

    fn report_history(&mut self) {
        let history = (self.replica.can_undo(), self.replica.can_redo());
        if history != self.reported_history {
            self.reported_history = history;
            let (can_undo, can_redo) = history;
            self.notices.push(Notice::History { can_undo, can_redo });
        }
    }

    fn report_status(&mut self) {
        let is_live = matches!(self.replica.status(), ReplicaStatus::Saved | ReplicaStatus::Saving { .. });
        let status = Status {
            is_ready: self.is_ready,
            is_connected: is_live,
            unconfirmed: u32::try_from(self.replica.unconfirmed()).unwrap_or(u32::MAX),
            can_edit: self.replica.role().can_edit(),
            can_comment: self.replica.role().can_comment(),
            is_owner: self.replica.role() == Role::Owner,
        };
        if self.reported_status.as_ref() != Some(&status) {
            self.reported_status = Some(status.clone());
            self.notices.push(Notice::Status { status });
        }
    }

    fn report_people(&mut self) {
        let people = self
            .replica
            .people()
            .listed()
            .map(|person| Person {
                session: person.session.0.to_string(),
                name: person.name.to_string(),
                color: person.color,
                sheet: person.presence.as_ref().map(|presence| presence.sheet.0),
                selection: person.presence.as_ref().map(|presence| presence.selection.into()),
                is_editing: person.presence.as_ref().is_some_and(|presence| presence.is_editing),
            })
            .collect();
        self.notices.retain(|notice| !matches!(notice, Notice::People { .. }));
        let count = self.replica.people().count() as f64;
        self.notices.push(Notice::People { people, count });
    }
}

fn tab_color(sheet: &Sheet) -> Option<Color> {
    sheet.item(ItemId::SETTINGS).and_then(|settings| settings.color(Field::TabColor))
}

fn tab(sheet: &Sheet) -> SheetTab {
    SheetTab {
        id: sheet.id().0,
        name: sheet.name().to_string(),
        color: tab_color(sheet).map(print_color),
        is_hidden: sheet_dimensions::is_hidden(sheet).then_some(true),
        is_chart: sheet.items().own_sheet_chart().map(|_| true),
    }
}

/// Compares a sheet with its reported tab without allocating, since every change calls it.
fn is_equal_tab(sheet: &Sheet, reported: &SheetTab) -> bool {
    let reported_color = reported.color.as_deref().and_then(|color| read_color(color).ok());
    sheet.id().0 == reported.id
        && **sheet.name() == *reported.name
        && tab_color(sheet) == reported_color
        && sheet_dimensions::is_hidden(sheet) == reported.is_hidden.unwrap_or(false)
        && sheet.items().own_sheet_chart().is_some() == reported.is_chart.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use quadrille_protocol::{
        Counter, Incarnation, PROTOCOL_VERSION, ReplicaId, ReplicaSecret, Resume, Revision, ServerFrame,
        SessionId, Welcome,
    };

    use super::*;

    #[test]
    fn the_viewport_is_sent_once_scrolling_has_stopped() {
        let opening = Opening { name: "Ann".into(), color: 1, seed: [1, 2], keeps: false };
        let mut engine = Engine::new(&opening);
        engine.event(ClientEvent::Connected, 0);
        let welcome = Welcome {
            version: PROTOCOL_VERSION,
            replica: ReplicaId(7),
            incarnation: Incarnation(1),
            session: SessionId(1),
            role: Role::Edit,
            color: 1,
            head: Revision(0),
            confirmed: Counter(0),
            resume: Resume::Tail,
            time_ms: 0,
            secret: Some(ReplicaSecret(1)),
        };
        engine.frame(&ServerFrame::Welcome(welcome).encode(), 0);
        while engine.next_frame().is_some() {}

        let rows = |first: u32| Range::from_indices(first, 0, first + 40, 9).expect("within the sheet");
        let mut views = Vec::new();
        for (tick, first) in [0, 100, 200, 200, 200, 300, 300].into_iter().enumerate() {
            engine.window(SheetId(1), rows(first), &[], true);
            engine.event(ClientEvent::Tick, 1_000 * (tick as i64 + 1));
            while let Some(frame) = engine.next_frame() {
                if let Ok(ClientFrame::View { sheet, view }) = ClientFrame::decode(&frame) {
                    views.push((tick, sheet, view));
                }
            }
        }
        assert_eq!(views, [(3, SheetId(1), rows(200)), (6, SheetId(1), rows(300))]);
    }
}
