//! Brings the imported data of one workbook up to date.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use axum::http::StatusCode;
use quadrille_access::Credentials;
use quadrille_journal::RoomOwner;
use quadrille_protocol::{Revision, Role, RoomName};
use quadrille_workbook::{ImportFailure, ImportFunction, ImportSource, Imported};

use super::import_graph::{BadChain, ImportGraph};
use super::import_plan::{limit, plan};
use super::source_answer::{ANSWER_BYTES_MAX, SourceAnswer};
use super::web_cache::WebCache;
use super::workbook_range::{values_of_sheet, workbook_named};
use crate::access::{Access, Document};
use crate::error::{ApiError, ErrorCode};
use crate::http::ethercalc_workbook::addressed_number;
use crate::http::{OwnerRelay, ServerAnswer, get_from_server};
use crate::limits;
use crate::room_name::percent_encoded;
use crate::rooms::{Change, Reading, Rooms};

/// Whether a host name, with its port, is one of this server.
pub type IsOwnHost = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// What updates need. Clones share it.
#[derive(Clone)]
pub struct ImportWorker {
    rooms: Rooms,
    access: Access,
    web: WebCache,
    relay: OwnerRelay,
    is_own_host: IsOwnHost,
}

/// The revisions at which ranges of workbooks at other servers were read, each with the number of its
/// sheet if EtherCalc's name of that was used.
pub(super) type ReadElsewhere = BTreeMap<(RoomName, Option<u32>, String), Revision>;

/// What the last update of a workbook has read.
#[derive(Clone, Default)]
pub(super) struct LastUpdate {
    /// The workbook that imports, after that update.
    pub revision: Revision,
    pub elsewhere: ReadElsewhere,
}

/// What has become of an update.
#[derive(Debug)]
pub(super) struct Updated {
    /// The workbooks that were read.
    pub sources: BTreeSet<RoomName>,
    /// Workbooks that formulas name and that could not be read.
    pub refused: BTreeSet<RoomName>,
    /// Addresses of the web that formulas name.
    pub urls: BTreeSet<String>,
    /// The revision that was read, and the one that was written if anything has changed.
    pub read: Revision,
    pub written: Option<Revision>,
    /// A source could not be read for now: it keeps its data, and the update is made again.
    pub is_incomplete: bool,
    pub read_elsewhere: ReadElsewhere,
    /// Another server runs the workbook itself and brings it up to date. Only its sources are known here.
    pub is_elsewhere: bool,
}

/// One update while it runs.
struct Update<'a> {
    worker: &'a ImportWorker,
    room: &'a RoomName,
    document: Document,
    graph: &'a ImportGraph,
    readings: HashMap<RoomName, Reading>,
    sources: BTreeSet<RoomName>,
    refused: BTreeSet<RoomName>,
    urls: BTreeSet<String>,
    is_incomplete: bool,
    /// Of what has not changed since, values are not sent again.
    known: ReadElsewhere,
    read_elsewhere: ReadElsewhere,
}

/// Why a source was not read.
enum SourceError {
    NoSuchWorkbook,
    /// Reading it may succeed later.
    Unavailable,
}

impl ImportWorker {
    pub fn new(
        rooms: Rooms,
        access: Access,
        web: WebCache,
        relay: OwnerRelay,
        is_own_host: IsOwnHost,
    ) -> ImportWorker {
        ImportWorker { rooms, access, web, relay, is_own_host }
    }

    /// Whether other servers use the same storage.
    pub(super) fn is_shared(&self) -> bool {
        self.rooms.is_shared()
    }

    /// Reads what the formulas of a workbook need, and writes what differs.
    ///
    /// # Errors
    /// When the workbook itself cannot be read or written.
    pub(super) async fn update(
        &self,
        room: &RoomName,
        graph: &ImportGraph,
        last: LastUpdate,
    ) -> Result<Updated, ApiError> {
        if let Some(owner) = self.owner_elsewhere(room).await? {
            return self.sources_elsewhere(room, &owner).await;
        }
        let reading = self.rooms.read_imports(room).await?;
        // After a change of the workbook, its imported data may be another.
        let is_unchanged = last.revision == reading.revision;
        let mut update = Update {
            worker: self,
            room,
            document: self.access.document(room).await?,
            graph,
            readings: HashMap::new(),
            sources: BTreeSet::new(),
            refused: BTreeSet::new(),
            urls: BTreeSet::new(),
            is_incomplete: false,
            known: if is_unchanged { last.elsewhere } else { ReadElsewhere::new() },
            read_elsewhere: ReadElsewhere::new(),
        };
        let mut outcomes = Vec::with_capacity(reading.import_sources.len());
        for (index, source) in reading.import_sources.iter().enumerate() {
            let outcome = match index < limits::IMPORTS_PER_ROOM_MAX {
                true => update.fetch(source).await,
                false => Some(failure(ImportFailure::TooLarge)),
            };
            outcomes.push((source.clone(), outcome));
        }
        let Update { sources, refused, urls, is_incomplete, read_elsewhere, .. } = update;
        limit(reading.workbook.items(), &mut outcomes, limits::IMPORT_BYTES_PER_ROOM_MAX);
        let written = match plan(&reading.workbook, &outcomes).is_empty() {
            true => None,
            false => self.write(room, outcomes).await?,
        };
        let read = reading.revision;
        let is_elsewhere = false;
        Ok(Updated { sources, refused, urls, read, written, is_incomplete, read_elsewhere, is_elsewhere })
    }

    /// The other server that runs a workbook, if one does.
    async fn owner_elsewhere(&self, room: &RoomName) -> Result<Option<RoomOwner>, ApiError> {
        match self.rooms.runs(room) {
            true => Ok(None),
            false => self.rooms.owner_elsewhere(room).await,
        }
    }

    /// Asks another server from which workbooks one of its own imports, to find circles.
    async fn sources_elsewhere(&self, room: &RoomName, owner: &RoomOwner) -> Result<Updated, ApiError> {
        let answer = self.ask(owner, room, None, None, None).await.ok().flatten();
        Ok(Updated {
            is_incomplete: answer.is_none(),
            read: answer.as_ref().map_or(Revision(0), |answer| answer.revision),
            sources: answer.map_or_else(BTreeSet::new, |answer| answer.sources),
            refused: BTreeSet::new(),
            urls: BTreeSet::new(),
            written: None,
            read_elsewhere: ReadElsewhere::new(),
            is_elsewhere: true,
        })
    }

    /// Asks the server of a source for a range, unless its revision is known; `None` when that server does not
    /// run it any more.
    async fn ask(
        &self,
        owner: &RoomOwner,
        source: &RoomName,
        sheet: Option<u32>,
        range: Option<&str>,
        after: Option<Revision>,
    ) -> Result<Option<SourceAnswer>, SourceError> {
        let parameters = [
            range.map(|range| format!("range={}", percent_encoded(range))),
            sheet.map(|sheet| format!("sheet={sheet}")),
            after.map(|after| format!("after={after}")),
        ];
        let query = parameters.into_iter().flatten().collect::<Vec<_>>().join("&");
        let target = format!("/internal/import-sources/{}?{query}", percent_encoded(source.as_str()));
        let key = self.access.key();
        match get_from_server(&self.relay, key, owner, &target, ANSWER_BYTES_MAX).await {
            Ok(ServerAnswer::Elsewhere) => Ok(None),
            Ok(ServerAnswer::Answered(StatusCode::OK, body)) => {
                SourceAnswer::decode(&body).map(Some).ok_or(SourceError::Unavailable)
            }
            Ok(ServerAnswer::Answered(StatusCode::NOT_FOUND, body)) => {
                // A server of a version that does not know this request answers 404 as well.
                let is_room = serde_json::from_slice::<serde_json::Value>(&body)
                    .is_ok_and(|body| body["error"]["code"] == ErrorCode::NoSuchRoom.parts().0);
                Err(if is_room { SourceError::NoSuchWorkbook } else { SourceError::Unavailable })
            }
            Ok(ServerAnswer::Answered(status, _)) => {
                tracing::debug!(%source, %status, "the server of a source has refused to read it");
                Err(SourceError::Unavailable)
            }
            Err(reason) => {
                tracing::debug!(%source, reason, "the server of a source has not answered");
                Err(SourceError::Unavailable)
            }
        }
    }

    async fn write(
        &self,
        room: &RoomName,
        outcomes: Vec<(ImportSource, Option<Imported>)>,
    ) -> Result<Option<Revision>, ApiError> {
        // Planned again: the workbook may have changed.
        let change = Change::imports(move |workbook| {
            let transaction = plan(workbook, &outcomes);
            match transaction.is_empty() {
                true => Err(ApiError::new(ErrorCode::Conflict, "the imported data is there already")),
                false => Ok(transaction),
            }
        });
        match self.rooms.change(room, Role::Owner, change).await {
            Ok(changed) => Ok(Some(changed.revision)),
            Err(error) if error.code == ErrorCode::Conflict => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether a workbook may be read for `room`, which has this access document: by everybody who knows its
    /// address, or because somebody who may view it has allowed it. Each belongs to the same tenant, or to none.
    async fn may_read(
        &self,
        room: &RoomName,
        document: &Document,
        source: &RoomName,
    ) -> Result<bool, ApiError> {
        let tenant = document.as_ref().and_then(|document| document.value.tenant.as_deref());
        let source = self.access.document(source).await?;
        if let Some(source) = &source
            && source.value.tenant.as_deref() == tenant
            && source.value.allows_import(room.as_str())
        {
            return Ok(true);
        }
        // As `http::creation::decide`: a workbook without a document belongs to no tenant.
        if source.is_none() && tenant.is_some() {
            return Ok(false);
        }
        let anybody = Credentials { tenant: tenant.map(Arc::from), ..Credentials::default() };
        Ok(self.access.decide_by(&source, &anybody).role.is_some())
    }
}

impl Update<'_> {
    /// What there is of a source now; `None` when it cannot be read for now.
    async fn fetch(&mut self, source: &ImportSource) -> Option<Imported> {
        match source.function {
            ImportFunction::Range => {
                let [workbook, range] = &source.arguments[..] else {
                    return Some(failure(ImportFailure::NotFound));
                };
                self.fetch_range(workbook, range).await
            }
            ImportFunction::Data
            | ImportFunction::Csv
            | ImportFunction::Json
            | ImportFunction::Html
            | ImportFunction::WebService => self.fetch_url(source).await,
        }
    }

    async fn fetch_url(&mut self, source: &ImportSource) -> Option<Imported> {
        let url = source.arguments.first().map(ToString::to_string).unwrap_or_default();
        self.urls.insert(url.clone());
        let (web, source) = (self.worker.web.clone(), source.clone());
        // A long response takes a while to read.
        let found = tokio::task::spawn_blocking(move || web.get(&url, &source)).await;
        match found {
            Ok(Some(imported)) => Some(imported),
            // Not waited for: the update is made again when the response has come.
            Ok(None) | Err(_) => self.postponed(),
        }
    }

    async fn fetch_range(&mut self, workbook: &str, range: &str) -> Option<Imported> {
        let Some(source) = workbook_named(workbook, &*self.worker.is_own_host) else {
            return Some(failure(ImportFailure::NoAccess));
        };
        let (source, sheet) = match addressed_number(&self.worker.rooms, source).await {
            Ok(found) => found,
            Err(_) => return self.postponed(),
        };
        if source == *self.room {
            return Some(failure(ImportFailure::Circular));
        }
        match self.worker.may_read(self.room, &self.document, &source).await {
            Ok(true) => {}
            Ok(false) => {
                self.refused.insert(source);
                return Some(failure(ImportFailure::NoAccess));
            }
            Err(_) => return self.postponed(),
        }
        self.sources.insert(source.clone());
        match self.graph.check(self.room, &source, limits::IMPORT_CHAIN_MAX) {
            Ok(()) => {}
            Err(BadChain::Circular) => return Some(failure(ImportFailure::Circular)),
            Err(BadChain::TooLong) => return Some(failure(ImportFailure::TooLarge)),
        }
        match self.read_range(&source, sheet, range).await {
            Ok(imported) => imported,
            Err(SourceError::NoSuchWorkbook) => {
                self.sources.remove(&source);
                self.refused.insert(source);
                Some(failure(ImportFailure::NoAccess))
            }
            Err(SourceError::Unavailable) => self.postponed(),
        }
    }

    /// Reads a range where the source runs; `None` when it is as it was.
    async fn read_range(
        &mut self,
        source: &RoomName,
        sheet: Option<u32>,
        range: &str,
    ) -> Result<Option<Imported>, SourceError> {
        if !self.readings.contains_key(source) {
            let owner = self.worker.owner_elsewhere(source).await.map_err(|_| SourceError::Unavailable)?;
            if let Some(owner) = owner {
                return self.read_range_elsewhere(source, &owner, sheet, range).await;
            }
            match self.worker.rooms.read_imports(source).await {
                Ok(reading) => _ = self.readings.insert(source.clone(), reading),
                Err(error) if error.code == ErrorCode::NoSuchRoom => return Err(SourceError::NoSuchWorkbook),
                // Another server was faster to claim it, among others.
                Err(_) => return Err(SourceError::Unavailable),
            }
        }
        let reading = self.readings.get(source).ok_or(SourceError::Unavailable)?;
        let values = values_of_sheet(&reading.workbook, sheet, range);
        Ok(Some(values.map_or_else(failure, Imported::Values)))
    }

    async fn read_range_elsewhere(
        &mut self,
        source: &RoomName,
        owner: &RoomOwner,
        sheet: Option<u32>,
        range: &str,
    ) -> Result<Option<Imported>, SourceError> {
        let key = (source.clone(), sheet, range.to_owned());
        let after = self.known.get(&key).copied();
        let answer = self.worker.ask(owner, source, sheet, Some(range), after).await?;
        let SourceAnswer { revision, sources, imported } = answer.ok_or(SourceError::Unavailable)?;
        if sources.contains(self.room) {
            return Ok(Some(failure(ImportFailure::Circular)));
        }
        self.read_elsewhere.insert(key, revision);
        Ok(imported)
    }

    fn postponed(&mut self) -> Option<Imported> {
        self.is_incomplete = true;
        None
    }
}

fn failure(failure: ImportFailure) -> Imported {
    Imported::Failure(failure, "".into())
}
