//! The replica between two calls: what goes out, and what changed in view.

use std::collections::VecDeque;
use std::sync::Arc;

use quadrille_cell::{Dimension, EditKind, Range, SheetId};
use quadrille_document::{Changes, Document};
use quadrille_operation::{Command, Locale, print_color, read_color};
use quadrille_protocol::{ClientFrame, Presence};
use quadrille_replica::{Effect, Event, LocaleSettings, Moment, Replica, Status as ReplicaStatus};
use quadrille_viewport::{cell_markers, cell_window, sheet_dimensions};

use quadrille_viewport::view_settings::ViewSettings;
use quadrille_workbook::{Color, Field, ItemId, Sheet};

use crate::messages::{
    BrokenRule, Notice, Opening, PageEvent, Person, RowsOrColumns, SheetRange, SheetTab, Status,
};
use crate::trace::Trace;
use crate::{error_messages, persistence, search};

/// Bits of [`Engine::evaluate`]'s answer.
pub const FINISHED: u32 = 1;
pub const VIEW_CHANGED: u32 = 2;
pub const SHAPE_CHANGED: u32 = 4;
pub const ANYTHING_CHANGED: u32 = 8;

/// Frozen rows and columns cut a sheet in four.
const VIEW_PARTS_MAX: usize = 4;

pub struct Engine {
    replica: Replica,
    frames: VecDeque<Vec<u8>>,
    notices: Vec<Notice>,
    /// The workbook has been here once.
    is_ready: bool,
    /// What the page draws: parts of one sheet.
    view: Option<(SheetId, Vec<Range>)>,
    /// What the page drew at the last tick, the part that scrolls.
    view_ticked: Option<(SheetId, Range)>,
    /// Rows and columns in use of the sheet in view, as last told.
    used_told: Option<(u32, u32)>,
    sheets_told: Vec<SheetTab>,
    status_told: Option<Status>,
    history_told: (bool, bool),
    /// Not yet told, because the calculation goes on.
    changes: Changes,
    is_replaced: bool,
    /// Whether the page wants to know which cells change.
    is_watched: bool,
    /// While the page records its half of a trace.
    trace: Option<Trace>,
    look: ViewSettings,
    /// Of the last event.
    time_ms: i64,
}

impl Engine {
    pub fn new(opening: &Opening) -> Engine {
        let [high, low] = opening.seed.map(u64::from);
        let mut replica =
            Replica::new(Arc::from(opening.name.as_str()), Some(opening.color), high << 32 | low);
        if opening.keeps {
            replica.keep();
        }
        Engine {
            replica,
            frames: VecDeque::new(),
            notices: Vec::new(),
            is_ready: false,
            view: None,
            view_ticked: None,
            used_told: None,
            sheets_told: Vec::new(),
            status_told: None,
            history_told: (false, false),
            changes: Changes::default(),
            is_replaced: false,
            is_watched: false,
            trace: None,
            look: ViewSettings::default(),
            time_ms: 0,
        }
    }

    pub fn document(&self) -> &Document {
        self.replica.document()
    }

    /// Which cell the command would make break a rule for entries.
    pub fn breaks_rule(&self, mut command: Command) -> Option<BrokenRule> {
        self.put_hidden(&mut command);
        let broken = self.replica.breaks_rule(Moment { unix_ms: self.time_ms }, &command)?;
        Some(BrokenRule { sheet: broken.sheet.0, cell: broken.cell.into(), item: broken.rule.0 })
    }

    /// The page does not know which rows a filter hides from its person.
    fn put_hidden(&self, command: &mut Command) {
        if let Command::InSight { sheet, hidden, .. } = command
            && hidden.is_empty()
        {
            let view = self.filter_view(SheetId(*sheet));
            *hidden = self.document().filtered_rows(SheetId(*sheet), view);
        }
    }

    pub fn event(&mut self, event: PageEvent, time_ms: i64) {
        self.time_ms = time_ms;
        let event = match event {
            PageEvent::Connected => Event::Connected,
            PageEvent::Disconnected { code } => Event::Disconnected { code },
            PageEvent::Tick => {
                self.refresh_view(time_ms);
                Event::Tick
            }
            PageEvent::Ping => {
                self.frames.push_back(ClientFrame::Ping.encode());
                return;
            }
            PageEvent::Command { mut command } => {
                self.put_hidden(&mut command);
                Event::Command(command)
            }
            PageEvent::Replace { search, with } => match search::replace(self.document(), &search, &with) {
                Ok((command, cells)) => {
                    self.notices.push(Notice::Replaced { cells });
                    Event::Command(command)
                }
                Err(error) => {
                    self.notices.push(error_messages::of_search(&error));
                    return;
                }
            },
            PageEvent::Undo => Event::Undo,
            PageEvent::Redo => Event::Redo,
            PageEvent::Select { sheet, selection, is_editing } => {
                Event::Select(Presence { sheet: SheetId(sheet), selection: selection.into(), is_editing })
            }
            PageEvent::Rename { name, color } => {
                Event::Rename { name: Arc::from(name.as_str()), color: Some(color) }
            }
            PageEvent::Trace { is_on } => {
                self.trace = is_on.then(Trace::default);
                return;
            }
            PageEvent::ShowFormulas { shows } => {
                self.look.shows_formulas = shows;
                self.is_replaced = true;
                return;
            }
            PageEvent::OpenFilterView { sheet, item } => {
                self.look.open_filter_view(SheetId(sheet), item.map(ItemId));
                self.is_replaced = true;
                return;
            }
            PageEvent::Place { language, utc_offset_minutes, is_r1c1 } => Event::Place(LocaleSettings {
                locale: Locale::from_tag(&language),
                utc_offset_minutes,
                is_r1c1,
            }),
            PageEvent::Watch => {
                self.is_watched = true;
                return;
            }
        };
        self.handle(event, time_ms);
    }

    /// Tells the room what the person looks at, once scrolling has come to rest: in big rooms the people near that are told.
    fn refresh_view(&mut self, time_ms: i64) {
        let view = self.view.as_ref().and_then(|(sheet, ranges)| Some((*sheet, *ranges.last()?)));
        let before = std::mem::replace(&mut self.view_ticked, view);
        if let Some((sheet, view)) = view.filter(|_| before == view) {
            // The replica says it once, and again after a reconnection.
            self.handle(Event::View { sheet, view }, time_ms);
        }
    }

    pub fn frame(&mut self, bytes: &[u8], time_ms: i64) {
        if let Some(trace) = &mut self.trace {
            trace.receives(bytes);
        }
        self.handle(Event::Frame(bytes), time_ms);
    }

    fn handle(&mut self, event: Event<'_>, time_ms: i64) {
        for effect in self.replica.handle(Moment { unix_ms: time_ms }, event) {
            match effect {
                Effect::Send(bytes) => {
                    if let Some(trace) = &mut self.trace {
                        trace.sends(self.replica.replica_id(), &bytes);
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
                Effect::Close { again } => self.notices.push(Notice::Close { again }),
            }
        }
    }

    /// What others inserted, deleted or moved, for what the page remembers by position.
    fn report_moves(&mut self) {
        for edit in self.replica.take_moves() {
            self.notices.push(Notice::Moved {
                sheet: edit.sheet.0,
                lines: match edit.dimension {
                    Dimension::Rows => RowsOrColumns::Rows,
                    Dimension::Columns => RowsOrColumns::Columns,
                },
                first: edit.at,
                count: edit.count,
                is_insert: edit.kind == EditKind::Insert,
                to: match edit.kind {
                    EditKind::Move { to } => Some(to),
                    EditKind::Insert | EditKind::Delete => None,
                },
            });
        }
    }

    pub fn persist_is_due(&self) -> (bool, bool) {
        self.replica.persist_is_due()
    }

    pub fn take_persisted(&mut self) -> Vec<u8> {
        self.replica.take_persisted().as_ref().map(persistence::encode).unwrap_or_default()
    }

    /// In words why not.
    pub fn restore(&mut self, bytes: &[u8], is_copy: bool) -> Result<(), String> {
        let restored = persistence::decode(bytes).ok_or("what was kept is not whole")?;
        self.replica.restore(&restored, is_copy).map_err(|error| error.to_string())?;
        self.is_ready = true;
        Ok(())
    }

    pub fn next_frame(&mut self) -> Option<Vec<u8>> {
        self.frames.pop_front()
    }

    /// Calculates for about `steps`. What changed is told only when the calculation is finished.
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
        let mut answer = FINISHED;
        if is_replaced || !changes.is_empty() {
            answer |= ANYTHING_CHANGED;
        }
        let Some((sheet, ranges)) = &self.view else { return answer };
        let sheet = *sheet;
        let is_in_view = |(changed, cells): &(SheetId, Range)| {
            *changed == sheet && ranges.iter().any(|range| cells.intersects(*range))
        };
        let filters = |(changed, cells): &(SheetId, Range)| {
            *changed == sheet && self.document().is_filtering(sheet, *cells)
        };
        let is_reshaped = changes.geometry.contains(&sheet)
            || changes.items.contains(&Some(sheet))
            || changes.ranges.iter().any(filters)
            || (answer & ANYTHING_CHANGED != 0 && self.document().filters_by_rules(sheet));
        // A rule may look at cells anywhere.
        let is_ruled =
            answer & ANYTHING_CHANGED != 0 && cell_markers::has_rules(self.document(), sheet, ranges);
        if is_replaced || is_reshaped || is_ruled || changes.ranges.iter().any(is_in_view) {
            answer |= VIEW_CHANGED;
        }
        if is_replaced
            || is_reshaped
            || (answer & ANYTHING_CHANGED != 0
                && self.used_told != Some(sheet_dimensions::used(self.document(), sheet)))
        {
            answer |= SHAPE_CHANGED;
        }
        answer
    }

    /// With `is_first` the view is this range alone, otherwise one more part of it.
    pub fn window(&mut self, sheet: SheetId, range: Range, is_first: bool) -> Vec<u8> {
        match &mut self.view {
            Some((_, ranges)) if !is_first && ranges.len() < VIEW_PARTS_MAX => ranges.push(range),
            view => *view = Some((sheet, vec![range])),
        }
        cell_window::encode(self.document(), sheet, range, &self.look)
    }

    /// As [`window`](Self::window), without its being in view.
    pub fn look_at(&self, sheet: SheetId, range: Range) -> Vec<u8> {
        cell_window::encode(self.document(), sheet, range, &self.look)
    }

    /// The filter view through which the page sees this sheet.
    pub fn filter_view(&self, sheet: SheetId) -> Option<ItemId> {
        self.look.filter_view(sheet)
    }

    pub fn shape(&mut self, sheet: SheetId) -> Vec<u8> {
        self.used_told = Some(sheet_dimensions::used(self.document(), sheet));
        sheet_dimensions::encode(self.document(), sheet, self.look.filter_view(sheet))
    }

    pub fn take_notices(&mut self) -> Vec<Notice> {
        self.report_moves();
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
        let is_told = sheets.len() == self.sheets_told.len()
            && sheets.iter().zip(&self.sheets_told).all(|(sheet, told)| is_tab(sheet, told));
        if is_told {
            return;
        }
        self.sheets_told = sheets.iter().map(|sheet| tab(sheet)).collect();
        self.notices.push(Notice::Sheets { sheets: self.sheets_told.clone() });
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
        let told = |(sheet, range): (SheetId, Range)| SheetRange { sheet: sheet.0, range: range.into() };
        let ranges: Vec<SheetRange> = match is_replaced {
            true => {
                let sheets = self.document().workbook().sheets().iter();
                sheets.map(|sheet| told((sheet.id(), Range::whole_sheet()))).collect()
            }
            false => changes.ranges.iter().copied().map(told).collect(),
        };
        if !ranges.is_empty() {
            self.notices.push(Notice::Cells { ranges });
        }
    }

    fn report_history(&mut self) {
        let history = (self.replica.can_undo(), self.replica.can_redo());
        if history != self.history_told {
            self.history_told = history;
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
        };
        if self.status_told.as_ref() != Some(&status) {
            self.status_told = Some(status.clone());
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
    }
}

/// Asked with every change: nothing is made for it.
fn is_tab(sheet: &Sheet, told: &SheetTab) -> bool {
    let told_color = told.color.as_deref().and_then(|color| read_color(color).ok());
    sheet.id().0 == told.id
        && **sheet.name() == *told.name
        && tab_color(sheet) == told_color
        && sheet_dimensions::is_hidden(sheet) == told.is_hidden.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use quadrille_protocol::{
        Counter, Incarnation, PROTOCOL_VERSION, ReplicaId, ReplicaSecret, Resume, Revision, Role,
        ServerFrame, SessionId, Welcome,
    };

    use super::*;

    #[test]
    fn the_room_hears_what_is_looked_at_when_scrolling_has_come_to_rest() {
        let opening = Opening { name: "Ann".into(), color: 1, seed: [1, 2], keeps: false };
        let mut engine = Engine::new(&opening);
        engine.event(PageEvent::Connected, 0);
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
        let mut looks = Vec::new();
        for (tick, first) in [0, 100, 200, 200, 200, 300, 300].into_iter().enumerate() {
            engine.window(SheetId(1), rows(first), true);
            engine.event(PageEvent::Tick, 1_000 * (tick as i64 + 1));
            while let Some(frame) = engine.next_frame() {
                if let Ok(ClientFrame::View { sheet, view }) = ClientFrame::decode(&frame) {
                    looks.push((tick, sheet, view));
                }
            }
        }
        assert_eq!(looks, [(3, SheetId(1), rows(200)), (6, SheetId(1), rows(300))]);
    }
}
