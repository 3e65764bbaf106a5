//! [`Tools`]: what agents can do, with the descriptions that they read.

use quadrille_access::Action;
use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_document::{Document, Search};
use quadrille_replica::Replica;
use quadrille_workbook::Sheet;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock, Implementation, ServerCapabilities, ServerConfig};
use rmcp::{ServerHandler, tool, tool_handler, tool_router};
use serde_json::{Value as Json, json};

use super::agent::{Agent, Look, people};
use super::arguments::{
    ChartArguments, ChartSeriesArguments, EditArguments, FormulaArguments, ItemsArguments, ListArguments,
    PivotTableArguments, ReadArguments, RoomArguments, SearchArguments, SheetArguments, UndoArguments,
    WriteArguments,
};
use super::caller::{Caller, Context};
use super::cell_report::{self, range_of, sheet_of};
use super::pivot_table;
use crate::error::{ApiError, ErrorCode};
use crate::http::list_workbooks;

/// The tools. All state is in the [`App`](crate::http::App) of the request.
#[derive(Clone, Copy, Default)]
pub struct Tools;

const INSTRUCTIONS: &str = "Quadrille is a spreadsheet that many people edit at the same time. A workbook is named by \
    its room, the last part of its URL. You are in the room as a person: others see your name and your selection, \
    and your changes are in the history under your name. Begin with describe_workbook. Use dryRun to see which cells \
    a change would affect before you make it. Values are typed as people type them: texts that begin with = are \
    formulas in English A1 notation with commas, dates are best written as 2026-11-25. undo takes back only what you \
    did.";

/// How many formulas deep precedents are followed, at most.
const DEPTH_MAX: u32 = 10;

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
        let look = |document: &Document, sheet: &Sheet, cell, depth: Option<u32>| {
            cell_report::formula(document, sheet, cell, depth.unwrap_or(1).clamp(1, DEPTH_MAX))
        };
        answer(look_at_formula(arguments, &context, look)).await
    }

    #[tool(
        description = "Trace the precedents of a formula as a tree: the cells and ranges that it reads, also through \
                       names, with their values, and what the formulas in these read.",
        annotations(read_only_hint = true)
    )]
    async fn trace_precedents(
        &self,
        Parameters(arguments): Parameters<FormulaArguments>,
        context: Context,
    ) -> CallToolResult {
        let look = |document: &Document, sheet: &Sheet, cell, depth: Option<u32>| {
            cell_report::traced(document, sheet, cell, depth.unwrap_or(3).clamp(1, DEPTH_MAX))
        };
        answer(look_at_formula(arguments, &context, look)).await
    }

    #[tool(
        description = "List what a sheet has besides cells: charts, pivot tables, tables, notes, comments, conditional \
                       formats and others, with their numbers and fields. setItem and removeItem of the tool edit \
                       change and remove them by these numbers.",
        annotations(read_only_hint = true)
    )]
    async fn list_items(
        &self,
        Parameters(arguments): Parameters<ItemsArguments>,
        context: Context,
    ) -> CallToolResult {
        let ItemsArguments { room, sheet, kind } = arguments;
        let look: Look = Box::new(move |replica| {
            let workbook = replica.document().workbook();
            Ok(cell_report::items(workbook, sheet_of(workbook, sheet.as_deref())?, kind.as_deref()))
        });
        answer(async { Caller::of(&context)?.enter(&room, Action::Read).await?.look(None, look).await }).await
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
        let SheetArguments { room, name, dry_run } = arguments;
        let mut command = json!({ "type": "addSheet" });
        if let Some(name) = name {
            command["name"] = name.into();
        }
        answer(async {
            Caller::of(&context)?.enter(&room, Action::Edit).await?.edit(vec![command], dry_run).await
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
        description = "Make a pivot table of a list: its rows grouped by some columns, with totals of others. It \
                       follows the list. Returns the cells that it fills."
    )]
    async fn create_pivot_table(
        &self,
        Parameters(arguments): Parameters<PivotTableArguments>,
        context: Context,
    ) -> CallToolResult {
        let (room, dry_run) = (arguments.room.clone(), arguments.dry_run);
        answer(async {
            let agent = Caller::of(&context)?.enter(&room, Action::Edit).await?;
            let plan: Look = Box::new(move |replica| pivot_table::commands(replica.document(), &arguments));
            let Json::Array(commands) = agent.look(None, plan).await? else {
                return Err(ApiError::new(ErrorCode::Internal, "no commands for the pivot table"));
            };
            agent.edit(commands, dry_run).await
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

/// Looks at the formula of a cell, and shows the others the cell.
async fn look_at_formula(
    arguments: FormulaArguments,
    context: &Context,
    look: impl FnOnce(&Document, &Sheet, CellAddress, Option<u32>) -> Result<Json, ApiError> + Send + 'static,
) -> Result<Json, ApiError> {
    let FormulaArguments { room, sheet, cell, depth } = arguments;
    let agent = Caller::of(context)?.enter(&room, Action::Read).await?;
    let cell = cell_of(&cell)?;
    let selection = selection_of(&agent, sheet.clone(), Range::cell(cell)).await?;
    let look = move |replica: &Replica| {
        let sheet = sheet_of(replica.document().workbook(), sheet.as_deref())?;
        look(replica.document(), sheet, cell, depth)
    };
    agent.look(Some(selection), Box::new(look)).await
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
