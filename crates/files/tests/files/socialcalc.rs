//! SocialCalc saves: the contents that are read and written, and the warnings about lost ones.
//! `socialcalc_oracle.rs` compares with SocialCalc itself.

use crate::notation::{commanded, import, items, show, show_formats};
use quadrille_cell::{CellAddress, Dimension};
use quadrille_files::{FileFormat, Images, WriteOptions, warnings, write};
use quadrille_workbook::{Border, BorderStyle, Color, Format, TextFormat, Workbook};

/// A save as EtherCalc writes it.
const SAVE: &str = "socialcalc:version:1.0
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=SocialCalcSpreadsheetControlSave
--SocialCalcSpreadsheetControlSave
Content-type: text/plain; charset=UTF-8

# SocialCalc Spreadsheet Control Save
version:1.0
part:sheet
part:edit
part:audit
--SocialCalcSpreadsheetControlSave
Content-type: text/plain; charset=UTF-8

version:1.5
cell:A1:t:time\\c 12\\c30 \\b o\\b:f:1:bg:2
cell:B1:v:100:ntvf:1
cell:B2:vtf:n:200:B1*2:c:1:cf:1
cell:B3:vtc:nd:45352:2024-03-01
cell:B4:vtc:nl:1:TRUE:comment:hello
cell:B5:vtf:e#DIV/0!:0:B1/0:e:#DIV/0!
col:B:w:120
row:3:h:40
sheet:c:2:r:5
name:RATE:what it is:B1
font:1:normal bold * *
color:1:rgb(255,0,0)
color:2:rgb(0,255,16)
cellformat:1:center
valueformat:1:#,##0.00
--SocialCalcSpreadsheetControlSave
Content-type: text/plain; charset=UTF-8

version:1.0
rowpane:0:1:14
ecell:A1
--SocialCalcSpreadsheetControlSave
Content-type: text/plain; charset=UTF-8


--SocialCalcSpreadsheetControlSave--
";

#[test]
fn ethercalc_saves_are_read_and_written() {
    let imported = import(FileFormat::SocialCalc, SAVE.as_bytes()).expect("valid");
    let cells = "A1: \"time: 12:30 \\\\ o\\\\\" | B1: 100 as #,##0.00 | B2: =B1*2 | B3: 45352 as d-mmm-yyyy | B4: TRUE | B5: =B1/0";
    assert_eq!(show(&imported.workbook), cells);
    assert_eq!(
        show_formats(&imported.workbook),
        "A1: bold, fill #00FF10\nB1: as #,##0.00\nB2: Center, text #FF0000\nB3: as d-mmm-yyyy\ncolumn 1+1: 120 px\nrow 2+1: 40 px\nRATE = $B$1"
    );
    assert_eq!(items(&imported.workbook, &["note"]), ["note B4 {\"text\":\"hello\"}"]);
    assert_eq!(imported.warnings, ["left out: descriptions of names"]);
    let written = write(&imported.workbook, FileFormat::SocialCalc, &WriteOptions::default()).expect("save");
    let again = import(FileFormat::SocialCalc, &written).expect("written files can be read");
    assert_eq!(show(&again.workbook), cells);
    assert_eq!(show_formats(&again.workbook), show_formats(&imported.workbook));
    assert_eq!(items(&again.workbook, &["note"]), items(&imported.workbook, &["note"]));
}

#[test]
fn malformed_saves_are_rejected() {
    for (save, message) in [
        ("hello", "not a SocialCalc save: no version and no cell"),
        ("version:1.5\ncell:A0:v:1\n", "line 2: not a cell or range such as B7, A1:C9, A:C or 3:5: A0"),
        ("socialcalc:version:1.0\nnothing", "the save names no boundary"),
    ] {
        let error = import(FileFormat::SocialCalc, save.as_bytes()).expect_err(save);
        assert_eq!(error.to_string(), message);
    }
}

fn read(sheet: &str) -> quadrille_files::Imported {
    import(FileFormat::SocialCalc, format!("version:1.5\n{sheet}").as_bytes()).expect("a valid save")
}

fn format<'a>(workbook: &'a Workbook, cell: &str) -> &'a Format {
    workbook.sheets()[0].format(CellAddress::parse_a1(cell).expect("an address"))
}

#[test]
fn borders_fonts_and_alignments_are_read() {
    let save = read(
        "cell:A1:t:a:b:1:2:0::f:1:l:1\ncell:A2:v:1:f:2\ncell:A3:v:1:f:3\n\
         border:1:1px solid rgb(255,0,0)\nborder:2:3px double black\n\
         font:1:italic bold 12pt Times New Roman\nfont:2:* 14px *\nfont:3:normal bold * *\n\
         layout:1:padding:* * * *;vertical-align:middle;\n",
    );
    assert_eq!(save.warnings, [] as [String; 0]);
    let first = format(&save.workbook, "A1");
    let border = |style, color| Some(Border { style, color: Some(Color(color)) });
    assert_eq!(first.border_top, border(BorderStyle::Thin, 0xff0000));
    assert_eq!(first.border_right, border(BorderStyle::Double, 0));
    assert_eq!((first.border_bottom, first.border_left), (None, None));
    assert_eq!(first.font_family.as_deref(), Some("Times New Roman"));
    assert_eq!(first.font_size.map(|size| size.points()), Some(12.0));
    assert_eq!(format(&save.workbook, "A2").font_size.map(|size| size.points()), Some(10.5));
    assert_eq!(show_formats(&save.workbook), "A1: bold, italic, Middle\nA2: \nA3: bold");
}

#[test]
fn hidden_rows_and_columns_merges_locks_and_panes_are_read() {
    let sheet = "version:1.5\ncell:B2:t:x:colspan:2:rowspan:3:ro:yes\ncell:B3:v:1:colspan:2\n\
                 col:C:w:120:hide:yes\nrow:4:hide:yes\nsheet:c:3:r:4\n";
    let edit = "version:1.0\nrowpane:0:1:2\nrowpane:1:3:30\ncolpane:0:1:9\necell:A1\n";
    let start = SAVE.find("version:1.5").expect("a sheet");
    let end = SAVE[start..].find("--Social").expect("a boundary") + start;
    let save = SAVE.replace(&SAVE[start..end], sheet);
    let save = save.replace("version:1.0\nrowpane:0:1:14\necell:A1\n", edit);
    let save = import(FileFormat::SocialCalc, save.as_bytes()).expect("a valid save");
    let found = &save.workbook.sheets()[0];
    assert_eq!(found.hidden_runs(Dimension::Columns).collect::<Vec<_>>(), [(2, 1)]);
    assert_eq!(found.hidden_runs(Dimension::Rows).collect::<Vec<_>>(), [(3, 1)]);
    assert_eq!(found.size_runs(Dimension::Columns).collect::<Vec<_>>(), [(2, 1, 120)]);
    assert_eq!(
        items(&save.workbook, &["merge", "protectedRange", "sheetSettings"]),
        ["merge B2:C4 {}", "protectedRange B2 {}", "sheetSettings  {\"frozenRows\":2.0}"]
    );
    assert_eq!(save.warnings, ["left out: merged cells that overlap others"]);
}

#[test]
fn defaults_of_the_sheet_become_formats_of_its_cells() {
    let save = read(
        "cell:A1:t:a\ncell:B1:v:0.5\ncell:B2:v:2:c:2:cf:3\n\
         sheet:c:2:r:3:w:100:h:25:tf:1:ntf:2:color:1:ntvf:1\n\
         color:1:rgb(0,0,255)\ncolor:2:#ff0000\n\
         cellformat:1:center\ncellformat:2:left\ncellformat:3:right\nvalueformat:1:0.00\n",
    );
    let shown = "A1: Center, text #0000FF, as 0.00\nB1: Left, text #0000FF, as 0.00\n\
                 A2:A3: text #0000FF, as 0.00\nB2: Right, text #FF0000, as 0.00\nB3: text #0000FF, as 0.00\n\
                 column 0+2: 100 px\nrow 0+3: 25 px";
    assert_eq!(show_formats(&save.workbook), shown);
    assert_eq!(save.warnings, ["left out: default formats beyond the last row and column of the sheet"]);
}

#[test]
fn names_refer_to_absolute_cells() {
    let save = read("cell:A1:v:1\nname:X::=A1*2\nname:Y::A1\\cB2\nname:Z::=SUM(a1\\c$B2)&\"C3\"\n");
    assert_eq!(show_formats(&save.workbook), "X = $A$1*2\nY = $A$1:$B$2\nZ = SUM($A$1:$B$2)&\"C3\"");
}

#[test]
fn values_have_the_formats_of_their_types() {
    let save = read(
        "cell:A1:vt:n%:0.5\ncell:A2:vtc:n$:5:$5\ncell:A3:vtf:n%:0:A1*2\ncell:A4:vtf:nd:0:A2:ntvf:1\n\
         valueformat:1:yyyy\n",
    );
    let cells = "A1: 0.5 as #,##0.0% | A2: 5 as $#,##0.00 | A3: =A1*2 as #,##0.0% | A4: =A2 as yyyy";
    assert_eq!(show(&save.workbook), cells);
}

#[test]
fn links_are_texts_with_an_address() {
    let save = read(
        "cell:A1:t:Home <https\\c//example.org/>:tvf:1\ncell:A2:t:https\\c//example.org/:tvf:2\n\
         cell:A3:t:Start[Page]:tvf:1\nvalueformat:1:text-link\nvalueformat:2:text-url\n",
    );
    assert_eq!(show(&save.workbook), "A1: \"Home\" | A2: \"https://example.org/\" | A3: \"Start[Page]\"");
    let url = "{\"url\":\"https://example.org/\"}";
    assert_eq!(items(&save.workbook, &["link"]), [format!("link A1 {url}"), format!("link A2 {url}")]);
    // A link to a page of a wiki stays as it is.
    let page = save.workbook.sheets()[0].format(CellAddress::clamped(2, 0)).text_format;
    assert_eq!((page, save.warnings), (Some(TextFormat::Link), vec![]));
}

#[test]
fn the_graph_is_a_chart() {
    let graph = "ecell:A1\ngraph:range:B2\\cB4:type:piechart:minmax:0,2,0,9\n";
    let save = SAVE.replace("ecell:A1\n", graph);
    let save = import(FileFormat::SocialCalc, save.as_bytes()).expect("a valid save");
    let chart = "chart D1 {\"height\":400.0,\"series\":[{\"categories\":\"=Sheet1!$A$2:$A$4\",\
                 \"values\":\"=Sheet1!$B$2:$B$4\"}],\"type\":\"pie\",\"width\":500.0}";
    assert_eq!(items(&save.workbook, &["chart"]), [chart]);
    assert_eq!(save.warnings, ["left out: descriptions of names"]);
    let options = WriteOptions::default();
    // The name RATE of the save is such a name.
    let lost = ["results of names that are functions of SocialCalc"];
    assert_eq!(warnings(&save.workbook, FileFormat::SocialCalc, &options, &Images::new()), lost);
    let written = write(&save.workbook, FileFormat::SocialCalc, &options).expect("a save");
    let again = import(FileFormat::SocialCalc, &written).expect("a valid save");
    assert_eq!(items(&again.workbook, &["chart"]), [chart]);
}

#[test]
fn what_a_save_has_beyond_is_named() {
    for (sheet, name) in [
        ("cell:A1:t:a:tvf:1\nvalueformat:1:text-custom\\c<i>@s</i>", "texts in formats of their own"),
        ("cell:A1:v:1:cssc:big", "CSS classes and styles"),
        ("cell:A1:v:1:l:1\nlayout:1:padding:2px * * *;vertical-align:*;", "padding"),
        (
            "cell:A1:v:1:b:1:::\nborder:1:1px groove black",
            "widths and styles of borders that cells cannot have",
        ),
        (
            "cell:A1:v:1:f:1\nfont:1:* * Arial,Helvetica",
            "font sizes, weights and alternative families that cells cannot have",
        ),
        ("cell:A1:v:1:c:1\ncolor:1:rebeccapurple", "colors other than RGB"),
        ("cell:A1:v:1:validation:x", "features of later versions of SocialCalc"),
        ("cell:A1:v:1\ncondfmt:x", "features of later versions of SocialCalc"),
        ("col:A:w:20%", "column widths other than pixels"),
        ("sheet:c:1:r:1:recalc:off", "recalculation on request"),
        ("sheet:c:1:r:1:usermaxrow:5", "limits of the rows and columns shown"),
    ] {
        assert_eq!(read(&format!("{sheet}\n")).warnings, [format!("left out: {name}")], "{sheet}");
    }
    let audit = "--SocialCalcSpreadsheetControlSave--";
    let save =
        SAVE.replace("\n\n--SocialCalcSpreadsheetControlSave--", &format!("\nset A1 value n 5\n{audit}"));
    let save = import(FileFormat::SocialCalc, save.as_bytes()).expect("a valid save");
    assert_eq!(save.warnings, ["left out: descriptions of names", "left out: the audit trail"]);
}

#[test]
fn texts_keep_how_they_are_shown() {
    let wiki = "sheet:c:1:r:1:tvf:1\nvalueformat:1:text-wiki";
    for (save, format, written) in [
        ("cell:A1:t:<b>a</b>:tvf:1\nvalueformat:1:text-html", Some(TextFormat::Html), "text-html"),
        ("cell:A1:vt:th:<b>a</b>", Some(TextFormat::Html), "text-html"),
        ("cell:A1:t:a.png:tvf:1\nvalueformat:1:text-image", Some(TextFormat::Image), "text-image"),
        ("cell:A1:vtf:t:a:\"a\":tvf:1\nvalueformat:1:text-link", Some(TextFormat::Link), "text-link"),
        ("cell:A1:t:Page [Start]:tvf:1\nvalueformat:1:text-link", Some(TextFormat::Link), "text-link"),
        (&format!("cell:A1:t:*a*\n{wiki}"), Some(TextFormat::Wiki), "text-wiki"),
        // EtherCalc shows every text as wiki text; most have no markup.
        (&format!("cell:A1:t:plain - text\n{wiki}"), None, ""),
        (&format!("cell:A1:v:5\n{wiki}"), None, ""),
        ("cell:A1:t:*a*:tvf:1\nvalueformat:1:text-plain", None, ""),
    ] {
        let read = read(&format!("{save}\n"));
        assert_eq!(read.warnings, [] as [String; 0], "{save}");
        assert_eq!(read.workbook.sheets()[0].format(CellAddress::default()).text_format, format, "{save}");
        let save = quadrille_files::write(&read.workbook, FileFormat::SocialCalc, &WriteOptions::default());
        let save = String::from_utf8(save.expect("a save")).expect("a text");
        assert_eq!(save.contains("valueformat:1:"), format.is_some(), "{save}");
        assert!(format.is_none() || save.contains(&format!("valueformat:1:{written}\n")), "{save}");
    }
}

#[test]
fn html_has_the_texts_as_they_are_shown_and_nothing_that_runs() {
    let attack = "<b>a</b><script>alert(1)</script><img src=x onerror=alert(1)><a href=javascript\\cx>b</a>";
    let formats = "valueformat:1:text-html\nvalueformat:2:text-wiki\n";
    let save = format!("cell:A1:t:{attack}:tvf:1\ncell:A2:t:*b*:tvf:2\n{formats}");
    let workbook = read(&save).workbook;
    let html = |ethercalc| {
        let options = WriteOptions { ethercalc, ..WriteOptions::default() };
        let html = quadrille_files::write(&workbook, FileFormat::Html, &options).expect("a page");
        String::from_utf8(html).expect("a text")
    };
    let (page, table) = (html(false), html(true));
    assert!(table.contains("><b>a</b><img src=\"x\"><a>b</a></td>"), "{table}");
    assert!(table.contains(">*b*</td>"), "{table}");
    let link = "<b>a</b><a href=\"x\" target=\"_blank\" rel=\"noopener noreferrer\">x</a><a>b</a>";
    assert!(page.contains(link), "{page}");
    assert!(page.contains("<p><b>b</b></p>"), "{page}");
}

#[test]
fn what_a_workbook_has_beyond_a_save_is_named() {
    let item = |kind: &str, fields: &str| {
        format!(
            "{{\"type\":\"setItem\",\"sheet\":1,\"kind\":\"{kind}\",\"anchors\":[\"A1:B2\"],\"fields\":{fields}}}"
        )
    };
    let formula = |text: &str| {
        format!(
            "{{\"type\":\"setCells\",\"sheet\":1,\"at\":\"A1\",\"cells\":[[{{\"formula\":\"{text}\"}}]]}}"
        )
    };
    let style =
        |format: &str| format!("{{\"type\":\"format\",\"sheet\":1,\"range\":\"A1:B2\",\"format\":{format}}}");
    for (command, name) in [
        (item("validation", "{\"rule\":\"list\",\"choices\":[\"a\"]}"), "data validation"),
        (item("table", "{\"name\":\"Prices\"}"), "tables"),
        (item("printArea", "{}"), "print areas and titles"),
        (style("{\"underline\":true}"), "underline"),
        (style("{\"wrap\":true}"), "wrapped, clipped and shrunk text"),
        (style("{\"numberFormat\":\"0.0E+0\"}"), "number formats with exponents, fractions or @"),
        (style("{\"borderTop\":{\"style\":\"dashDot\"}}"), "borders of dots and dashes, which become dashed"),
        (formula("=XLOOKUP(1,B1:B2,C1:C2)"), "results of functions that SocialCalc does not have (XLOOKUP)"),
        (formula("=SUM({1,2})"), "results of arrays and of the operators @, #, union and intersection"),
    ] {
        let workbook = commanded(&format!("[{command}]"));
        let options = WriteOptions::default();
        assert_eq!(
            warnings(&workbook, FileFormat::SocialCalc, &options, &Images::new()),
            [name],
            "{command}"
        );
        assert_eq!(warnings(&workbook, FileFormat::Json, &options, &Images::new()), [] as [String; 0]);
    }
}
