//! Brings the imported data of one workbook up to date.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use quadrille_access::Credentials;
use quadrille_cell::SheetId;
use quadrille_protocol::{Revision, Role, RoomName};
use quadrille_workbook::{ImportFailure, ImportFunction, ImportSource, Imported};

use super::import_graph::{BadChain, ImportGraph};
use super::import_plan::{limit, plan};
use super::web_cache::WebCache;
use super::workbook_range::{values_of, workbook_named};
use crate::access::{Access, Document};
use crate::error::{ApiError, ErrorCode};
use crate::http::ethercalc_workbook::{addressed_sheet, with_sheet_first};
use crate::limits;
use crate::rooms::{Change, Reading, Rooms};

/// Whether a host name, with its port, is one of this server.
pub type IsOwnHost = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// What updates need. Clones share it.
#[derive(Clone)]
pub struct ImportWorker {
    rooms: Rooms,
    access: Access,
    web: WebCache,
    is_own_host: IsOwnHost,
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
}

impl ImportWorker {
    pub fn new(rooms: Rooms, access: Access, web: WebCache, is_own_host: IsOwnHost) -> ImportWorker {
        ImportWorker { rooms, access, web, is_own_host }
    }

    /// Whether other servers use the same storage.
    pub(super) fn is_shared(&self) -> bool {
        self.rooms.is_shared()
    }

    /// Reads what the formulas of a workbook need, and writes what differs.
    ///
    /// # Errors
    /// When the workbook itself cannot be read or written.
    pub(super) async fn update(&self, room: &RoomName, graph: &ImportGraph) -> Result<Updated, ApiError> {
        let reading = self.rooms.read_imports(room).await?;
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
        };
        let mut outcomes = Vec::with_capacity(reading.import_sources.len());
        for (index, source) in reading.import_sources.iter().enumerate() {
            let outcome = match index < limits::IMPORTS_PER_ROOM_MAX {
                true => update.fetch(source).await,
                false => Some(failure(ImportFailure::TooLarge)),
            };
            outcomes.push((source.clone(), outcome));
        }
        let Update { sources, refused, urls, is_incomplete, .. } = update;
        limit(reading.workbook.items(), &mut outcomes, limits::IMPORT_BYTES_PER_ROOM_MAX);
        let written = match plan(&reading.workbook, &outcomes).is_empty() {
            true => None,
            false => self.write(room, outcomes).await?,
        };
        Ok(Updated { sources, refused, urls, read: reading.revision, written, is_incomplete })
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
        let (source, sheet) = match self.addressed(source).await {
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
        if !self.readings.contains_key(&source) {
            // Servers with one database: reading claims a room, and its people use the server that the
            // proxy has chosen.
            if !self.worker.rooms.runs(&source) {
                return self.postponed();
            }
            match self.worker.rooms.read_imports(&source).await {
                Ok(reading) => _ = self.readings.insert(source.clone(), reading),
                Err(error) if error.code == ErrorCode::NoSuchRoom => {
                    self.sources.remove(&source);
                    self.refused.insert(source);
                    return Some(failure(ImportFailure::NoAccess));
                }
                Err(_) => return self.postponed(),
            }
        }
        let reading = self.readings.get(&source)?;
        let values = match sheet {
            Some(sheet) => values_of(&with_sheet_first((*reading.workbook).clone(), sheet), range),
            None => values_of(&reading.workbook, range),
        };
        Some(match values {
            Ok(values) => Imported::Values(values),
            Err(reason) => failure(reason),
        })
    }

    /// The workbook that a name means, and its sheet if it is EtherCalc's name of one, such as `sales.2`.
    async fn addressed(&self, name: RoomName) -> Result<(RoomName, Option<SheetId>), ApiError> {
        // The sheet is looked up in the workbook, which servers with one database must run.
        if self.worker.is_shared() {
            return Ok((name, None));
        }
        let addressed = addressed_sheet(&self.worker.rooms, name.as_str()).await?;
        Ok(addressed.map_or((name, None), |addressed| (addressed.room, Some(addressed.sheet))))
    }

    fn postponed(&mut self) -> Option<Imported> {
        self.is_incomplete = true;
        None
    }
}

fn failure(failure: ImportFailure) -> Imported {
    Imported::Failure(failure, "".into())
}
