//! [`Tools`]: what agents can do, with the descriptions that they read.

use std::sync::Arc;

use axum::http::request::Parts;
use quadrille_access::Action;
use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_document::Search;
use quadrille_protocol::Author;
use quadrille_replica::Replica;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock, Implementation, ServerCapabilities, ServerConfig};
use rmcp::schemars::{self, JsonSchema};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, tool, tool_handler, tool_router};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::agent::{Agent, Look, agent_name, people};
use super::agents::AgentKey;
use super::cell_report::{self, range_of, sheet_of};
use crate::access::{Grant, Identity, Visitor};
use crate::error::{ApiError, ErrorCode};
use crate::http::{App, check_room, list_workbooks, open_session_in_process};
use crate::room_name;

/// The tools. All state is in the [`App`] of the request.
#[derive(Clone, Copy, Default)]
pub struct Tools;

const INSTRUCTIONS: &str = "Quadrille is a spreadsheet that many people edit at the same time. A workbook is named by \
    its room, the last part of its URL. You are in the room as a person: others see your name and your selection, \
    and your changes are in the history under your name. Begin with describe_workbook. Use dryRun to see which cells \
    a change would affect before you make it. Values are typed as people type them: texts that begin with = are \
    formulas in English A1 notation with commas, dates are best written as 2026-11-25. undo takes back only what you \
    did.";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListArguments {
    /// Only workbooks whose title contains this text.
    query: Option<String>,
    /// mine (default) or shared.
    list: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoomArguments {
    /// Room of the workbook, the last part of its URL.
    room: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadArguments {
    /// Room of the workbook, the last part of its URL.
    room: String,
    /// Name of the sheet; the first one by default.
    sheet: Option<String>,
    /// A1 notation: B2, A1:D20, A:C, 3:5.
    range: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchArguments {
    /// Room of the workbook, the last part of its URL.
    room: String,
    /// Text to find, without regard to case.
    text: String,
    /// Name of the sheet; all sheets by default.
    sheet: Option<String>,
    /// Search formulas and typed texts instead of displayed values.
    #[serde(default)]
    in_formulas: bool,
    /// The text is a regular expression.
    #[serde(default)]
    is_pattern: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FormulaArguments {
    /// Room of the workbook, the last part of its URL.
    room: String,
    /// Name of the sheet; the first one by default.
    sheet: Option<String>,
    /// The cell, such as C7.
    cell: String,
    /// How many formulas deep precedents are followed: 1 (default) to 10.
    depth: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WriteArguments {
    /// Room of the workbook, the last part of its URL.
    room: String,
    /// Name of the sheet; the first one by default.
    sheet: Option<String>,
    /// The top left cell.
    at: String,
    /// Rows of cells: texts as typed, numbers, booleans; null clears a cell.
    rows: Vec<Vec<Json>>,
    /// Only return the cells that would change.
    #[serde(default)]
    dry_run: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SheetArguments {
    /// Room of the workbook, the last part of its URL.
    room: String,
    /// Name of the new sheet.
    name: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChartArguments {
    /// Room of the workbook, the last part of its URL.
    room: String,
    /// Name of the sheet on which the chart is placed; the first one by default.
    sheet: Option<String>,
    /// The cell at the top left corner of the chart.
    at: String,
    /// column, bar, line, area, pie, doughnut, scatter …
    r#type: String,
    /// Title above the chart.
    title: Option<String>,
    /// The series.
    series: Vec<ChartSeriesArguments>,
    /// Only check.
    #[serde(default)]
    dry_run: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChartSeriesArguments {
    /// A reference to the values, such as Sheet1!B2:B9.
    values: String,
    /// A reference to the categories, such as Sheet1!A2:A9.
    categories: Option<String>,
    /// The name in the legend.
    name: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EditArguments {
    /// Room of the workbook, the last part of its URL.
    room: String,
    /// The commands, which are carried out together or not at all.
    commands: Vec<serde_json::Map<String, Json>>,
    /// Only return the cells that would change.
    #[serde(default)]
    dry_run: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UndoArguments {
    /// Room of the workbook, the last part of its URL.
    room: String,
    /// How many of your changes; 1 by default, at most 100.
    steps: Option<u32>,
}

type Context = RequestContext<RoleServer>;

#[tool_router]
impl Tools {
    #[tool(
        description = "List the workbooks of the account whose API token is used, newest change first.",
        annotations(read_only_hint = true)
    )]
    async fn list_workbooks(
        &self,
        Parameters(arguments): Parameters<ListArguments>,
        context: Context,
    ) -> CallToolResult {
        answer(async {
            let caller = Caller::of(&context)?;
            if caller.identity.credentials.account.is_none() {
                let message = "only accounts have lists; name the room of the workbook in the other tools";
                return Err(ApiError::new(ErrorCode::SignInRequired, message));
            }
            list_workbooks(&caller.app, &caller.visitor, &caller.identity, arguments.list, arguments.query)
                .await
        })
        .await
    }

    #[tool(
        description = "Sheets with their used ranges and the number of charts, tables and other items, the people \
                       in the room and where they are, your role, and the revision.",
        annotations(read_only_hint = true)
    )]
    async fn describe_workbook(
        &self,
        Parameters(arguments): Parameters<RoomArguments>,
        context: Context,
    ) -> CallToolResult {
        let look: Look = Box::new(|replica| {
            let mut described = cell_report::workbook(replica.document());
            described["people"] = people(replica);
            described["role"] = replica.role().name().into();
            described["revision"] = replica.revision().0.into();
            Ok(described)
        });
        answer(async {
            Caller::of(&context)?.enter(&arguments.room, Action::Read).await?.look(None, look).await
        })
        .await
    }

    #[tool(
        description = "Read the values of a range row by row, and its formulas by cell. Formatted numbers come with \
                       the text that people see.",
        annotations(read_only_hint = true)
    )]
    async fn read_range(
        &self,
        Parameters(arguments): Parameters<ReadArguments>,
        context: Context,
    ) -> CallToolResult {
        let ReadArguments { room, sheet, range } = arguments;
        answer(async {
            let agent = Caller::of(&context)?.enter(&room, Action::Read).await?;
            let range = range_of(&range)?;
            let selection = selection_of(&agent, sheet.clone(), range).await?;
            let look = move |replica: &Replica| {
                let sheet = sheet_of(replica.document().workbook(), sheet.as_deref())?;
                cell_report::values(replica.document(), sheet, range)
            };
            agent.look(Some(selection), Box::new(look)).await
        })
        .await
    }

    #[tool(
        description = "Find cells by the text that they show, or by their formulas.",
        annotations(read_only_hint = true)
    )]
    async fn search(
        &self,
        Parameters(arguments): Parameters<SearchArguments>,
        context: Context,
    ) -> CallToolResult {
        let SearchArguments { room, text, sheet, in_formulas, is_pattern } = arguments;
        let search = Search { text, is_pattern, in_formulas, ..Search::default() };
        let look: Look = Box::new(move |replica| {
            let document = replica.document();
            let sheet = sheet.map(|name| sheet_of(document.workbook(), Some(&name))).transpose()?;
            cell_report::search(document, &search, sheet)
        });
        answer(async { Caller::of(&context)?.enter(&room, Action::Read).await?.look(None, look).await }).await
    }

    #[tool(
        description = "Explain a formula: its value, the functions that it calls, the cells that it reads and those \
                       that these read, and the cell in which an error arises.",
        annotations(read_only_hint = true)
    )]
    async fn explain_formula(
        &self,
        Parameters(arguments): Parameters<FormulaArguments>,
        context: Context,
    ) -> CallToolResult {
        let FormulaArguments { room, sheet, cell, depth } = arguments;
        let depth = depth.unwrap_or(1).clamp(1, 10);
        answer(async {
            let agent = Caller::of(&context)?.enter(&room, Action::Read).await?;
            let cell = cell_of(&cell)?;
            let selection = selection_of(&agent, sheet.clone(), Range::cell(cell)).await?;
            let look = move |replica: &Replica| {
                let sheet = sheet_of(replica.document().workbook(), sheet.as_deref())?;
                cell_report::formula(replica.document(), sheet, cell, depth)
            };
            agent.look(Some(selection), Box::new(look)).await
        })
        .await
    }

    #[tool(
        description = "Write cells as if they were typed. Returns the cells that changed, also by formulas."
    )]
    async fn write_range(
        &self,
        Parameters(arguments): Parameters<WriteArguments>,
        context: Context,
    ) -> CallToolResult {
        let WriteArguments { room, sheet, at, rows, dry_run } = arguments;
        answer(async {
            let agent = Caller::of(&context)?.enter(&room, Action::Edit).await?;
            let texts =
                rows.iter().map(|row| row.iter().map(typed).collect()).collect::<Result<Vec<Vec<_>>, _>>()?;
            let at = cell_of(&at)?.to_string();
            let sheet = sheet_id(&agent, sheet).await?;
            let command = json!({ "type": "typeTexts", "sheet": sheet, "at": at, "texts": texts });
            agent.edit(vec![command], dry_run).await
        })
        .await
    }

    #[tool(description = "Add a sheet at the end of the workbook.")]
    async fn add_sheet(
        &self,
        Parameters(arguments): Parameters<SheetArguments>,
        context: Context,
    ) -> CallToolResult {
        let mut command = json!({ "type": "addSheet" });
        if let Some(name) = arguments.name {
            command["name"] = name.into();
        }
        answer(async {
            Caller::of(&context)?.enter(&arguments.room, Action::Edit).await?.edit(vec![command], false).await
        })
        .await
    }

    #[tool(description = "Make a chart of ranges.")]
    async fn create_chart(
        &self,
        Parameters(arguments): Parameters<ChartArguments>,
        context: Context,
    ) -> CallToolResult {
        let ChartArguments { room, sheet, at, r#type, title, series, dry_run } = arguments;
        let series = series.into_iter().map(|ChartSeriesArguments { values, categories, name }| {
            let mut fields = json!({ "values": formula(&values) });
            if let Some(categories) = categories {
                fields["categories"] = formula(&categories).into();
            }
            if let Some(name) = name {
                fields["name"] = name.into();
            }
            fields
        });
        let series: Vec<Json> = series.collect();
        answer(async {
            let agent = Caller::of(&context)?.enter(&room, Action::Edit).await?;
            let at = cell_of(&at)?.to_string();
            let sheet = sheet_id(&agent, sheet).await?;
            let mut fields = json!({ "type": r#type, "series": series });
            if let Some(title) = title {
                fields["title"] = title.into();
            }
            let command =
                json!({ "type": "setItem", "sheet": sheet, "kind": "chart", "anchors": [at], "fields": fields });
            agent.edit(vec![command], dry_run).await
        })
        .await
    }

    #[tool(
        description = "Carry out commands as the page of the workbook does, together or not at all. `sheet` is the \
            name or the id of a sheet, rows and columns count from 0. Examples: \
            {\"type\":\"insertRows\",\"sheet\":\"Sheet1\",\"at\":4,\"count\":2}, \
            {\"type\":\"deleteColumns\",\"sheet\":\"Sheet1\",\"at\":0,\"count\":1}, \
            {\"type\":\"clear\",\"sheet\":\"Sheet1\",\"range\":\"A1:B9\",\"what\":\"contents\"}, \
            {\"type\":\"sort\",\"sheet\":\"Sheet1\",\"range\":\"A1:C9\",\"keys\":[{\"column\":1,\"descending\":true}],\"hasHeader\":true}, \
            {\"type\":\"format\",\"sheet\":\"Sheet1\",\"range\":\"A1:C1\",\"format\":{\"bold\":true}}, \
            {\"type\":\"renameSheet\",\"sheet\":\"Sheet1\",\"name\":\"Budget\"}, \
            {\"type\":\"merge\",\"sheet\":\"Sheet1\",\"range\":\"A1:C1\",\"how\":\"all\"}, \
            {\"type\":\"freezePanes\",\"sheet\":\"Sheet1\",\"rows\":1,\"columns\":0}, \
            {\"type\":\"setItem\",\"sheet\":\"Sheet1\",\"kind\":\"note\",\"anchors\":[\"B2\"],\"fields\":{\"text\":\"Checked\"}}. \
            A wrong command is answered with what is expected."
    )]
    async fn edit(
        &self,
        Parameters(arguments): Parameters<EditArguments>,
        context: Context,
    ) -> CallToolResult {
        let EditArguments { room, commands, dry_run } = arguments;
        let commands = commands.into_iter().map(Json::Object).collect();
        answer(async {
            let agent = Caller::of(&context)?.enter(&room, Action::Comment).await?;
            agent.edit(commands, dry_run).await
        })
        .await
    }

    #[tool(description = "Undo your last changes in a workbook. What others have changed since stays.")]
    async fn undo(
        &self,
        Parameters(arguments): Parameters<UndoArguments>,
        context: Context,
    ) -> CallToolResult {
        let steps = arguments.steps.unwrap_or(1).clamp(1, 100);
        answer(async {
            Caller::of(&context)?.enter(&arguments.room, Action::Comment).await?.undo(steps).await
        })
        .await
    }
}

#[tool_handler(router = Self::tool_router())]
impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("quadrille", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }
}

/// Whom a call comes from.
struct Caller {
    app: App,
    visitor: Visitor,
    identity: Arc<Identity>,
    name: Arc<str>,
}

impl Caller {
    fn of(context: &Context) -> Result<Caller, ApiError> {
        let parts = context.extensions.get::<Parts>();
        let found = parts.and_then(|parts| {
            let extensions = &parts.extensions;
            let given = parts.uri.query().and_then(|query| {
                let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
                pairs.filter(|(key, _)| *key == "agent").map(|(_, value)| decoded(value)).next()
            });
            let client = context.meta.client_info().map(|client| client.name.to_string());
            Some(Caller {
                app: extensions.get::<App>()?.clone(),
                visitor: extensions.get::<Visitor>()?.clone(),
                identity: Arc::clone(extensions.get::<Arc<Identity>>()?),
                name: agent_name(given.or(client).as_deref()),
            })
        });
        found.ok_or_else(|| ApiError::new(ErrorCode::Internal, "the request did not arrive over HTTP"))
    }

    /// Checks that the caller may do something in a workbook, and enters its room.
    async fn enter(&self, room: &str, action: Action) -> Result<Agent, ApiError> {
        let room = room_name::parse(room)?;
        let grant = check_room(&self.app, &self.visitor, &self.identity, &room, action).await?;
        let key = AgentKey {
            actor: format!("{:?}", grant.identity.actor),
            author: grant.identity.author.clone(),
            role: grant.role,
            address: self.visitor.address,
            name: Arc::clone(&self.name),
            room: room.clone(),
        };
        if let Some(agent) = self.app.agents.find(&key)? {
            return Ok(agent);
        }
        let grant = Grant { identity: Arc::new(named(&grant.identity, &self.name)), ..grant };
        let opened = open_session_in_process(&self.app, room, grant, self.visitor.clone()).await;
        let stream = opened.map_err(|error| {
            tracing::warn!(%error, "no session for an agent");
            ApiError::new(ErrorCode::Overloaded, "no session can be opened; try again later")
        })?;
        let agent = Agent::join(stream, Arc::clone(&self.name)).await;
        Ok(self.app.agents.insert(key, agent))
    }
}

/// The identity under the name of the agent. An account stays the one that history and protected
/// ranges know; only its name tells that the agent acts for it.
fn named(identity: &Identity, name: &str) -> Identity {
    let author = identity
        .author
        .as_ref()
        .map(|person| Author { id: person.id.clone(), name: format!("{name} ({})", person.name).into() });
    Identity { author, ..identity.clone() }
}

/// A value of a query: `+` is a space, and bytes are percent-encoded.
fn decoded(value: &str) -> String {
    let value = value.replace('+', " ");
    percent_encoding::percent_decode_str(&value).decode_utf8_lossy().into_owned()
}

/// The result of a tool: JSON, or an error that the agent reads.
async fn answer(work: impl Future<Output = Result<Json, ApiError>>) -> CallToolResult {
    match work.await {
        Ok(json) => CallToolResult::structured(json),
        Err(error) => CallToolResult::error(vec![ContentBlock::text(format!(
            "{}: {}",
            error.code.parts().0,
            error.message
        ))]),
    }
}

async fn sheet_id(agent: &Agent, name: Option<String>) -> Result<Json, ApiError> {
    let look =
        move |replica: &Replica| Ok(sheet_of(replica.document().workbook(), name.as_deref())?.id().0.into());
    agent.look(None, Box::new(look)).await
}

/// The selection that others see while a range is read.
async fn selection_of(
    agent: &Agent,
    sheet: Option<String>,
    range: Range,
) -> Result<(SheetId, Range), ApiError> {
    let id = sheet_id(agent, sheet).await?;
    Ok((SheetId(id.as_u64().unwrap_or(0) as u32), range))
}

fn cell_of(text: &str) -> Result<CellAddress, ApiError> {
    let range = range_of(text)?;
    match range.cell_count() {
        1 => Ok(range.first()),
        _ => Err(ApiError::new(ErrorCode::BadAddress, format!("one cell is needed, such as B2: {text}"))),
    }
}

/// A reference as the formula of a field.
fn formula(reference: &str) -> String {
    format!("={}", reference.trim_start_matches('='))
}

/// A cell of `write_range` as typed text.
fn typed(cell: &Json) -> Result<String, ApiError> {
    match cell {
        Json::Null => Ok(String::new()),
        Json::String(text) => Ok(text.clone()),
        Json::Number(number) => Ok(number.to_string()),
        Json::Bool(true) => Ok("TRUE".to_owned()),
        Json::Bool(false) => Ok("FALSE".to_owned()),
        Json::Array(_) | Json::Object(_) => {
            Err(ApiError::new(ErrorCode::BadJson, "a cell is a text, a number, a boolean or null"))
        }
    }
}
