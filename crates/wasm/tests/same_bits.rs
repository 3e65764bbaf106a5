//! The WebAssembly module computes the same bits as the native build (ARCHITECTURE.md, invariant
//! 2).
//!
//! A script of calls runs natively and in the built module under Node; every output must be equal
//! byte for byte: values as exact numbers, cell windows, frames to the server and persisted state.
//!
//! `cargo xtask test` builds the module and runs these tests. By hand: `cargo xtask engine && cargo
//! test -p quadrille-wasm --test same_bits -- --ignored`. `QUADRILLE_MODULE` names another module.

mod support {
    pub mod script;
}

use std::fmt::Write;
use std::path::{Path, PathBuf};

use quadrille_document::{Document, EvaluationContext};
use quadrille_files::{FileFormat, ReadOptions, ShouldContinue};
use quadrille_operation::{Command, plan};
use quadrille_workbook::Workbook;
use serde_json::{Value, json};
use support::script::Script;

/// The column of the oracle's formulas, to the right of the cells that they read.
const FORMULA_COLUMN: u32 = 26;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn rows_of(table: &Path) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(table).expect("the oracle's tables exist");
    text.lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(first, second)| (first.replace("\\n", "\n"), second.to_owned()))
        .collect()
}

/// A workbook with texts typed into its cells. Texts that cannot be entered are skipped.
fn workbook_of(texts: impl Iterator<Item = (String, String)>) -> Workbook {
    let mut document = Document::new();
    for (cell, text) in texts {
        let command = Command::TypeText { sheet: 1, cell, text };
        let mut no_sheets = || unreachable!("typing adds no sheet");
        if let Ok(transaction) = plan(&command, document.workbook(), &mut no_sheets) {
            document.apply(&transaction, EvaluationContext::default());
        }
    }
    document.workbook().clone()
}

#[test]
#[ignore = "needs the built module; cargo xtask test runs it"]
fn oracle_formulas_give_the_same_bits() {
    let folder = root().join("crates/functions/oracle");
    let cells = rows_of(&folder.join("cells.tsv"));
    let mut tables: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the oracle's tables exist")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| {
            path.extension().is_some_and(|extension| extension == "tsv") && !path.ends_with("cells.tsv")
        })
        .collect();
    tables.sort();
    assert!(tables.len() > 10, "{tables:?}");
    let mut script = Script::new();
    for table in tables {
        let formulas = rows_of(&table);
        let count = formulas.len() as u32;
        let column = quadrille_cell::CellAddress::clamped(0, FORMULA_COLUMN).to_string();
        let column = column.trim_end_matches(char::is_numeric).to_owned();
        // Three rows apart, so that most arrays can spill.
        let formulas = formulas
            .into_iter()
            .zip(0u32..)
            .map(|((formula, _), index)| (format!("{column}{}", 3 * index + 1), formula));
        let workbook = workbook_of(cells.iter().cloned().chain(formulas));
        script.open(&workbook);
        script.evaluate_all();
        script.read_all(1, 3 * count, FORMULA_COLUMN + 8);
    }
    script.compare("oracle");
}

#[test]
#[ignore = "needs the built module; cargo xtask test runs it"]
fn imported_files_give_the_same_bits() {
    let mut script = Script::new();
    for entry in std::fs::read_dir(root().join("fixtures/files")).expect("fixtures are there") {
        let path = entry.expect("the folder can be read").path();
        let bytes = std::fs::read(&path).expect("the file can be read");
        let name = path.file_name().expect("a file").to_string_lossy();
        let Some(format) = FileFormat::from_name(&name) else { continue };
        let imported =
            quadrille_files::read(format, &bytes, &ReadOptions::default(), &mut |_| ShouldContinue::Continue)
                .expect("a valid file");
        script.open(&imported.workbook);
        script.evaluate_all();
        for sheet in imported.workbook.sheets() {
            script.read_all(sheet.id().0, 200, 60);
        }
    }
    script.compare("files");
}

#[test]
#[ignore = "needs the built module; cargo xtask test runs it"]
fn random_edits_give_the_same_bits() {
    let mut script = Script::new();
    for seed in 0..12 {
        let mut random = Random(seed * 7_919 + 1);
        script.open(&Workbook::new());
        for step in 0..150 {
            script.event(match random.below(12) {
                0 => json!({"type": "undo"}),
                1 => json!({"type": "redo"}),
                _ => json!({"type": "command", "command": random.command()}),
            });
            // The next command sometimes interrupts the calculation, and the room sometimes
            // confirms.
            match random.below(3) {
                0 => script.evaluate(random.below(200)),
                _ => script.evaluate_all(),
            }
            if random.below(4) == 0 {
                script.confirm();
            }
            if step % 25 == 24 {
                script.evaluate_all();
                script.read_all(1, 60, 16);
            }
        }
        script.confirm();
        script.evaluate_all();
        script.read_all(1, 80, 20);
    }
    script.compare("random");
}

#[test]
#[ignore = "needs the built module; cargo xtask test runs it"]
fn long_columns_give_the_same_bits() {
    let mut document = Document::new();
    let mut random = Random(5);
    let mut column = |kind: u32| {
        let rows = (0..20_000).map(|row| match (kind, row % 997) {
            (1, 996) => vec![json!({"text": "gap"})],
            _ => vec![json!({"number": random.number()})],
        });
        rows.collect::<Vec<_>>()
    };
    let columns = [("A1", column(0)), ("B1", column(0)), ("C1", column(1))];
    for (at, cells) in columns {
        apply(&mut document, json!({"type": "setCells", "sheet": 1, "at": at, "cells": cells}));
    }
    let formulas = [
        "=A1*2+B1",
        "=(A1-B1)/(C1+1)",
        "=-A1%*B1^2",
        "=SUM(A$1:A1)",
        "=E1+D1*1.0000001",
        "=SUM(A1:C1)*AVERAGE(A1:B9)",
        "=EXP(SIN(A1))+LN(ABS(B1)+1)",
        "=IF(A1>B1,A1,C1)",
        "=SUMIF(A$1:A$50,\">\"&B1)",
        "=ROUND(A1*B1,3)&\"x\"",
    ];
    for (index, formula) in (3u32..).zip(formulas) {
        let first = quadrille_cell::CellAddress::clamped(0, index).to_string();
        let last = quadrille_cell::CellAddress::clamped(19_999, index).to_string();
        apply(
            &mut document,
            json!({"type": "typeEverywhere", "sheet": 1, "range": format!("{first}:{last}"), "text": formula}),
        );
    }
    let sums = [
        "=SUM(A:A)",
        "=AVERAGE(D:D)",
        "=STDEV(E:E)",
        "=SUMPRODUCT(A1:A20000,B1:B20000)",
        "=MEDIAN(F:F)",
        "=VAR(C:C)",
        "=CORREL(A1:A20000,B1:B20000)",
        "=SUM(SORT(A1:A20000)*SEQUENCE(20000))",
    ];
    for (index, formula) in (1..).zip(sums) {
        apply(
            &mut document,
            json!({"type": "typeText", "sheet": 1, "cell": format!("T{index}"), "text": formula}),
        );
    }
    let mut script = Script::new();
    script.open(document.workbook());
    script.evaluate_all();
    script.read_all(1, 20_000, 13);
    script.cells(1, (0, 19), (10, 19));
    script.event(json!({"type": "command", "command": {"type": "typeText", "sheet": 1, "cell": "A9000", "text": "0.1"}}));
    script.evaluate_all();
    script.cells(1, (0, 19), (10, 19));
    script.compare("columns");
}

fn apply(document: &mut Document, command: Value) {
    let command: Command = serde_json::from_value(command).expect("a command");
    let mut no_sheets = || unreachable!("these commands add no sheet");
    let transaction = plan(&command, document.workbook(), &mut no_sheets).expect("the cells exist");
    document.apply(&transaction, EvaluationContext::default());
}

/// Pseudorandom commands, equal in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, end: u32) -> u32 {
        (self.next() % u64::from(end)) as u32
    }

    fn number(&mut self) -> f64 {
        let digits = self.next() as f64 - 1_073_741_824.0;
        let shift = self.below(12) as i32 - 9;
        digits * 10f64.powi(shift)
    }

    fn cell(&mut self) -> String {
        let (row, column) = (self.below(50), self.below(12));
        quadrille_cell::CellAddress::clamped(row, column).to_string()
    }

    fn range(&mut self) -> String {
        let (row, column) = (self.below(45), self.below(10));
        let last = quadrille_cell::CellAddress::clamped(row + self.below(8), column + self.below(3));
        format!("{}:{last}", quadrille_cell::CellAddress::clamped(row, column))
    }

    fn formula(&mut self) -> String {
        let (a, b, range, number) = (self.cell(), self.cell(), self.range(), self.number());
        let formulas = [
            format!("={a}*{number}+{b}"),
            format!("=SUM({range})/{a}"),
            format!("=AVERAGE({range})^0.5"),
            format!("=SIN({a})*COS({b})+TAN({number})"),
            format!("=EXP({a}/1000000000)-LN(ABS({b})+1)"),
            format!("=IF({a}>{b},MAX({range}),MIN({range}))"),
            format!("=TEXT({a},\"0.000E+00\")&UPPER(\"é\"&{b})"),
            format!("=SORT({range})"),
            format!("=FILTER({range},{range}<>0,\"none\")"),
            format!("=LET(x,{a},y,{b},x*y-{number})"),
            format!("=VLOOKUP({a},{range},1,TRUE)"),
            format!("=COUNTIF({range},\">0\")+SUMIF({range},\"<5\")"),
            format!("=STDEV({range})+VAR.P({range})"),
            format!("=REGEXREPLACE({a}&\"\",\"[0-9]\",\"#\")"),
            format!("=PMT(ABS({a})/1E10+0.01,12,{b})"),
            format!("=NORM.S.DIST({number}/1E9,TRUE)+GAMMA(3.5)"),
            format!("=RAND()*{a}"),
            format!("=SEQUENCE(3,2,{number},0.1)"),
            format!("=DATE(2024,1,1)+{a}/86400"),
            format!("=SUMPRODUCT({range},{range})"),
            format!("={a}&\"|\"&{b}"),
            format!("=IFERROR({a}/{b},\"none\")"),
        ];
        formulas[self.below(formulas.len() as u32) as usize].clone()
    }

    fn text(&mut self) -> String {
        let texts = ["apple", "Äpfel", "12 %", "1/2/2024", "€ 5.50", "TRUE", "'007", "#N/A", "3:45 PM", ""];
        match self.below(4) {
            0 => texts[self.below(texts.len() as u32) as usize].to_owned(),
            1 => {
                let mut text = String::new();
                let _ = write!(text, "{}", self.number());
                text
            }
            _ => self.formula(),
        }
    }

    fn command(&mut self) -> Value {
        let (cell, range, target) = (self.cell(), self.range(), self.cell());
        let (at, count) = (self.below(40), self.below(3) + 1);
        match self.below(16) {
            0 => json!({"type": "insertRows", "sheet": 1, "at": at, "count": count}),
            1 => json!({"type": "deleteRows", "sheet": 1, "at": at, "count": count}),
            2 => json!({"type": "insertColumns", "sheet": 1, "at": at % 10, "count": 1}),
            3 => json!({"type": "deleteColumns", "sheet": 1, "at": at % 10, "count": 1}),
            4 => {
                json!({"type": "sort", "sheet": 1, "range": "A1:D30", "keys": [{"column": 1, "descending": count == 1}], "hasHeader": false})
            }
            5 => {
                json!({"type": "copyPaste", "fromSheet": 1, "source": range, "sheet": 1, "target": target, "what": "all"})
            }
            6 => json!({"type": "cutPaste", "fromSheet": 1, "source": range, "sheet": 1, "target": target}),
            7 => json!({"type": "clear", "sheet": 1, "range": range, "what": "contents"}),
            8 => {
                json!({"type": "format", "sheet": 1, "range": range, "format": {"numberFormat": "#,##0.00;[Red]-0.0E+0", "bold": true}})
            }
            9 => json!({"type": "typeEverywhere", "sheet": 1, "range": range, "text": self.formula()}),
            10 => {
                json!({"type": "setItem", "sheet": 1, "kind": "note", "anchors": [cell], "fields": {"text": self.text()}})
            }
            _ => json!({"type": "typeText", "sheet": 1, "cell": cell, "text": self.text()}),
        }
    }
}
