//! Reads the client's messages from JSON. A new variant of a message needs an arm here; the tests
//! fail without it.

use quadrille_json::{Fields, Json, JsonError};
use quadrille_operation::{Command, ItemValue, SortKey};

use crate::messages::{CellPosition, ClientEvent, FoundCell, Opening, Query, RangePosition, SearchScope};

impl Opening {
    /// Reads an opening.
    ///
    /// # Errors
    /// When a field is missing or has the wrong type.
    pub fn from_json(json: &Json) -> Result<Opening, JsonError> {
        let fields = json.fields()?;
        let seed = fields.array("seed", Json::u32)?;
        Ok(Opening {
            name: fields.string("name")?,
            color: fields.u32("color")?,
            seed: seed.try_into().map_err(|_| JsonError::new("seed: expected two numbers"))?,
            keeps: fields.boolean("keeps")?,
        })
    }
}

impl ClientEvent {
    /// Reads an event.
    ///
    /// # Errors
    /// When the type is unknown, or a field is missing or has the wrong type.
    pub fn from_json(json: &Json) -> Result<ClientEvent, JsonError> {
        let fields = json.fields()?;
        Ok(match fields.str("type")? {
            "connected" => ClientEvent::Connected,
            "disconnected" => {
                let code = fields.optional("code", |code| code.integer(0, u16::MAX.into()))?;
                ClientEvent::Disconnected { code: code.map(|code| code as u16) }
            }
            "tick" => ClientEvent::Tick,
            "ping" => ClientEvent::Ping,
            "command" => ClientEvent::Command { command: Command::from_json(fields.required("command")?)? },
            "automatic" => {
                ClientEvent::Automatic { command: Command::from_json(fields.required("command")?)? }
            }
            "undo" => ClientEvent::Undo,
            "redo" => ClientEvent::Redo,
            "replace" => ClientEvent::Replace { search: search(fields)?, with: fields.string("with")? },
            "select" => ClientEvent::Select {
                sheet: fields.u32("sheet")?,
                selection: range(fields.required("selection")?)?,
                is_editing: fields.boolean("isEditing")?,
            },
            "rename" => ClientEvent::Rename { name: fields.string("name")?, color: fields.u32("color")? },
            "place" => ClientEvent::Locale {
                language: fields.string("language")?,
                utc_offset_minutes: fields.integer("utcOffsetMinutes", i32::MIN.into(), i32::MAX.into())?
                    as i32,
                is_r1c1: fields.boolean("isR1c1")?,
                names: fields.array("names", Json::string)?,
            },
            "showFormulas" => ClientEvent::ShowFormulas { shows: fields.boolean("shows")? },
            "showPanels" => ClientEvent::ShowPanels,
            "openFilterView" => ClientEvent::OpenFilterView {
                sheet: fields.u32("sheet")?,
                item: fields.optional("item", |item| item.integer(0, i64::MAX))?.map(|item| item as u64), // not negative
            },
            "identified" => {
                ClientEvent::Identified { account: fields.string("account")?, email: fields.string("email")? }
            }
            "watch" => ClientEvent::Watch,
            "trace" => ClientEvent::Trace { is_on: fields.boolean("isOn")? },
            other => return Err(unknown("event", other)),
        })
    }
}

impl Query {
    /// Reads a query.
    ///
    /// # Errors
    /// When the type is unknown, or a field is missing or has the wrong type.
    pub fn from_json(json: &Json) -> Result<Query, JsonError> {
        let fields = json.fields()?;
        let sheet = || fields.u32("sheet");
        let cell = || position(fields, "cell");
        let range = || range(fields.required("range")?);
        Ok(match fields.str("type")? {
            "cell" => Query::Cell { sheet: sheet()?, cell: cell()? },
            "summarize" => Query::Summarize { sheet: sheet()?, ranges: fields.array("ranges", self::range)? },
            "cells" => Query::Cells {
                sheet: sheet()?,
                range: range()?,
                skips_filtered: fields.boolean("skipsFiltered")?,
            },
            "edge" => Query::Edge {
                sheet: sheet()?,
                from: position(fields, "from")?,
                direction: fields.variant("direction")?,
            },
            "used" => Query::Used { sheet: sheet()? },
            "region" => Query::Region { sheet: sheet()?, cell: cell()? },
            "longestTexts" => Query::LongestTexts { sheet: sheet()?, column: fields.u32("column")? },
            "rowOrder" => Query::RowOrder {
                sheet: sheet()?,
                range: range()?,
                keys: fields.array("keys", SortKey::from_json)?,
            },
            "items" => Query::Items { sheet: fields.optional("sheet", Json::u32)? },
            "chartSeries" => Query::ChartSeries {
                sheet: sheet()?,
                item: fields.integer("item", 0, i64::MAX)? as u64, // not negative
            },
            "pivotTable" => Query::PivotTable {
                sheet: sheet()?,
                item: fields.integer("item", 0, i64::MAX)? as u64, // not negative
            },
            "slicer" => Query::Slicer {
                sheet: sheet()?,
                item: fields.integer("item", 0, i64::MAX)? as u64, // not negative
                view: fields.optional("view", |view| view.integer(0, i64::MAX).map(|view| view as u64))?,
            },
            "pivotTableAt" => Query::PivotTableAt { sheet: sheet()?, cell: cell()? },
            "pivotSourceRows" => Query::PivotSourceRows { sheet: sheet()?, cell: cell()? },
            "pivotLabels" => Query::PivotLabels {
                sheet: sheet()?,
                cell: cell()?,
                ranges: fields.array("ranges", self::range)?,
            },
            "find" => Query::Find { search: search(fields)? },
            "names" => Query::Names,
            "preview" => Query::Preview { sheet: sheet()?, cell: cell()?, format: fields.string("format")? },
            "duplicates" => Query::Duplicates {
                sheet: sheet()?,
                range: range()?,
                columns: fields.array("columns", Json::u32)?,
                has_header: fields.boolean("hasHeader")?,
            },
            "untrimmed" => Query::Untrimmed { sheet: sheet()?, ranges: fields.array("ranges", self::range)? },
            "columnValues" => {
                Query::ColumnValues { sheet: sheet()?, range: range()?, column: fields.u32("column")? }
            }
            "columnStatistics" => Query::ColumnStatistics {
                sheet: sheet()?,
                column: fields.u32("column")?,
                has_header: fields.boolean("hasHeader")?,
            },
            "columnColors" => {
                Query::ColumnColors { sheet: sheet()?, range: range()?, column: fields.u32("column")? }
            }
            "explain" => Query::Explain { sheet: sheet()?, cell: cell()? },
            "precedents" => Query::Precedents { sheet: sheet()?, range: range()? },
            "dependents" => Query::Dependents { sheet: sheet()?, cell: cell()? },
            "similar" => Query::Similar { sheet: sheet()?, cell: cell()?, typed: fields.string("typed")? },
            "brokenRule" => {
                Query::BrokenRule { command: Box::new(Command::from_json(fields.required("command")?)?) }
            }
            "goalSeek" => Query::GoalSeek {
                sheet: sheet()?,
                cell: cell()?,
                goal: fields.string("goal")?,
                changing: position(fields, "changing")?,
            },
            "evaluateFormula" => {
                Query::EvaluateFormula { sheet: sheet()?, cell: cell()?, count: fields.u32("count")? }
            }
            "whatIf" => Query::WhatIf {
                cells: fields.array("cells", cell_of_sheet)?,
                trials: fields.array("trials", trial)?,
                results: fields.array("results", cell_of_sheet)?,
            },
            "typedValues" => Query::TypedValues { texts: fields.array("texts", Json::string)? },
            "isFormula" => Query::IsFormula { formula: fields.string("formula")? },
            "invalidCells" => Query::InvalidCells { sheet: sheet()? },
            "picture" => Query::Image {
                sheet: sheet()?,
                item: fields.integer("item", 0, i64::MAX)? as u64, // not negative
            },
            other => return Err(unknown("query", other)),
        })
    }
}

fn unknown(kind: &str, name: &str) -> JsonError {
    JsonError(["unknown ", kind, ": ", name].concat())
}

fn position(fields: Fields<'_>, name: &str) -> Result<CellPosition, JsonError> {
    let fields = fields.fields(name)?;
    Ok(CellPosition { row: fields.u32("row")?, column: fields.u32("column")? })
}

fn cell_of_sheet(json: &Json) -> Result<FoundCell, JsonError> {
    let fields = json.fields()?;
    Ok(FoundCell { sheet: fields.u32("sheet")?, row: fields.u32("row")?, column: fields.u32("column")? })
}

/// The values of one trial of what-if analysis.
fn trial(json: &Json) -> Result<Vec<ItemValue>, JsonError> {
    let Json::Array(values) = json else { return Err(JsonError::new("expected an array of values")) };
    Ok(values.iter().map(ItemValue::from_json).collect())
}

fn range(json: &Json) -> Result<RangePosition, JsonError> {
    let fields = json.fields()?;
    Ok(RangePosition {
        top: fields.u32("top")?,
        left: fields.u32("left")?,
        bottom: fields.u32("bottom")?,
        right: fields.u32("right")?,
    })
}

fn search(fields: Fields<'_>) -> Result<SearchScope, JsonError> {
    SearchScope::from_json(fields.required("search")?)
}

impl SearchScope {
    /// Reads a search.
    ///
    /// # Errors
    /// When a field is missing or has the wrong type.
    pub fn from_json(json: &Json) -> Result<SearchScope, JsonError> {
        let fields = json.fields()?;
        Ok(SearchScope {
            text: fields.string("text")?,
            is_pattern: fields.boolean("isPattern")?,
            matches_case: fields.boolean("matchesCase")?,
            whole_cell: fields.boolean("wholeCell")?,
            in_formulas: fields.boolean("inFormulas")?,
            sheet: fields.optional("sheet", Json::u32)?,
            range: fields.optional("range", range)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ts_rs::TS;

    const SEARCH: &str = r#"{"text":"a","isPattern":true,"matchesCase":false,"wholeCell":true,"inFormulas":false,"sheet":1,"range":{"top":1,"left":2,"bottom":3,"right":4}}"#;

    /// Checks that every `type` in the TypeScript declaration of a union is read, given an object
    /// with the fields of all variants.
    fn check<T: TS>(read: impl Fn(&Json) -> Result<T, JsonError>, fields: &str) {
        let declaration = T::decl(&ts_rs::Config::default());
        let names: Vec<&str> =
            declaration.split("\"type\": \"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(names.len() > 10, "{declaration}");
        for name in names {
            let text = format!("{{\"type\":\"{name}\",{fields}}}");
            let json = Json::parse(text.as_bytes()).expect(&text);
            if let Err(error) = read(&json) {
                panic!("{text}: {error}");
            }
        }
        let unknown = Json::parse(br#"{"type":"dance"}"#).expect("JSON");
        assert!(read(&unknown).is_err());
    }

    #[test]
    fn every_event_is_read() {
        let fields = format!(
            r#""code":null,"command":{{"type":"removeSheet","sheet":1}},"search":{SEARCH},"with":"b","sheet":1,
               "selection":{{"top":0,"left":0,"bottom":1,"right":1}},"isEditing":true,"name":"x","color":255,
               "language":"de","utcOffsetMinutes":-60,"isR1c1":true,"names":["SUM=SUMME"],"isOn":true,"shows":true,"item":7,"account":"",
               "email":"""#
        );
        check(ClientEvent::from_json, &fields);
    }

    #[test]
    fn every_query_is_read() {
        let cell = r#"{"row":1,"column":2}"#;
        let range = r#"{"top":0,"left":0,"bottom":1,"right":1}"#;
        let found = r#"{"sheet":1,"row":0,"column":1}"#;
        let fields = format!(
            r#""sheet":1,"cell":{cell},"from":{cell},"range":{range},"ranges":[{range}],"skipsFiltered":true,"direction":"left",
               "column":3,"columns":[1],"hasHeader":true,"item":7,"search":{SEARCH},"format":"0","typed":"a",
               "command":{{"type":"removeSheet","sheet":1}},"goal":"1","changing":{cell},"count":2,"formula":"1","cells":[{found}],
               "trials":[[1,"a",true,null]],"results":[{found}],"texts":["1"],"keys":[{{"column":1,"descending":true}}]"#
        );
        check(Query::from_json, &fields);
    }

    #[test]
    fn all_fields_of_a_search_are_read() {
        let search =
            SearchScope::from_json(&Json::parse(SEARCH.as_bytes()).expect("JSON")).expect("a search");
        assert_eq!((search.text.as_str(), search.is_pattern, search.whole_cell), ("a", true, true));
        assert_eq!((search.matches_case, search.in_formulas, search.sheet), (false, false, Some(1)));
        assert_eq!(search.range, Some(RangePosition { top: 1, left: 2, bottom: 3, right: 4 }));
    }
}
