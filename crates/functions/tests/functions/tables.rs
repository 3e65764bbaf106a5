//! Functions that return tables: QUERY, GROUPBY, PIVOTBY and FORECAST.ETS.

use crate::support::{calculate, displayed};

/// The example table of Google's query language reference.
const STAFF: &[(&str, &str)] = &[
    ("A1", "name"),
    ("B1", "dept"),
    ("C1", "lunchTime"),
    ("D1", "salary"),
    ("E1", "hireDate"),
    ("F1", "age"),
    ("G1", "isSenior"),
    ("A2", "John"),
    ("B2", "Eng"),
    ("C2", "12:00"),
    ("D2", "1000"),
    ("E2", "2005-03-19"),
    ("F2", "35"),
    ("G2", "TRUE"),
    ("A3", "Dave"),
    ("B3", "Eng"),
    ("C3", "12:00"),
    ("D3", "500"),
    ("E3", "2006-04-19"),
    ("F3", "27"),
    ("G3", "FALSE"),
    ("A4", "Sally"),
    ("B4", "Eng"),
    ("C4", "13:00"),
    ("D4", "600"),
    ("E4", "2005-10-10"),
    ("F4", "30"),
    ("G4", "FALSE"),
    ("A5", "Ben"),
    ("B5", "Sales"),
    ("C5", "12:00"),
    ("D5", "400"),
    ("E5", "2002-10-10"),
    ("F5", "32"),
    ("G5", "TRUE"),
    ("A6", "Dana"),
    ("B6", "Sales"),
    ("C6", "12:00"),
    ("D6", "350"),
    ("E6", "2004-09-08"),
    ("F6", "25"),
    ("G6", "FALSE"),
    ("A7", "Mike"),
    ("B7", "Marketing"),
    ("C7", "13:00"),
    ("D7", "800"),
    ("E7", "2005-01-10"),
    ("F7", "24"),
    ("G7", "TRUE"),
];

#[track_caller]
fn check(cells: &[(&str, &str)], formula: &str, expected: &str) {
    let formula = format!("=ARRAYTOTEXT({formula},1)");
    let displayed = displayed(&calculate(cells, [formula.as_str()])[0]);
    let bare = |text: &str| text.replace(['"', '{', '}'], "");
    assert_eq!(bare(&displayed), bare(expected), "{formula}");
}

#[track_caller]
fn query(query: &str, expected: &str) {
    check(STAFF, &format!("QUERY(A1:G7,\"{query}\",1)"), expected);
}

#[test]
fn queries_select_rows_and_columns() {
    query("select A where D >= 600", "{name;John;Sally;Mike}");
    query("select A, D where B = 'Sales'", "{name,salary;Ben,400;Dana,350}");
    query("select A where B <> 'Eng' and date '2004-12-31' < E", "{name;Mike}");
    query("select A where not (B = 'Eng' or G) ", "{name;Dana}");
    query("select A where G", "{name;John;Ben;Mike}");
    query("select A where A contains 'a' and A starts with 'D'", "{name;Dave;Dana}");
    query("select A where A matches 'D.*a'", "{name;Dana}");
    query("select A where A like '_a%'", "{name;Dave;Sally;Dana}");
    query("select A where (D + 100) * 2 > 1700", "{name;John;Mike}");
    query("select A where year(E) = 2005 and month(E) = 0", "{name;Mike}");
    query("select A order by D desc limit 2 offset 1", "{name;Mike;Sally}");
    query("select A, D * 12 where F < 26 label A 'Who', D * 12 'A year'", "{Who,A year;Dana,4200;Mike,9600}");
    query("select A, D where F < 26 format D '$#,##0.00'", "{name,salary;Dana,$350.00;Mike,$800.00}");
    query("select A where A = 'nobody'", "name");
}

#[test]
fn queries_group_and_pivot() {
    query("select B, sum(D) group by B", "{dept,sum salary;Eng,2100;Marketing,800;Sales,750}");
    query(
        "select B, max(D), min(A) group by B order by max(D)",
        "{dept,max salary,min name;Sales,400,Ben;Marketing,800,Mike;Eng,1000,Dave}",
    );
    query("select sum(D) pivot B", "{Eng,Marketing,Sales;2100,800,750}");
    query(
        "select B, sum(D) group by B pivot C",
        "{dept,0.5,0.541666666666667;Eng,1500,600;Marketing,,800;Sales,750,}",
    );
    query("select count(A), avg(F) where G label count(A) '', avg(F) ''", "{3,30.3333333333333}");
    query(
        "select year(E), count(A) group by year(E)",
        "{year(hireDate),count name;2002,1;2004,1;2005,3;2006,1}",
    );
    query(
        "select B, sum(D), max(F) group by B pivot G limit 1",
        "{dept,FALSE sum salary,TRUE sum salary,FALSE max age,TRUE max age;Eng,1100,1000,30,35}",
    );
}

#[test]
fn invalid_queries_are_errors() {
    for wrong in [
        "select",
        "select Z",
        "select A where",
        "select A where D",
        "select A, sum(D)",
        "select A group by B",
        "sum(A)",
        "select sum(A)",
        "select A order by",
        "select A limit -1",
        "select A limit 1 where D > 1",
        "select 'a",
        "select A where A matches '('",
        "select year(A)",
        "select A where D > 1 or",
        "select A B",
        "select D + A",
        "select A label D 'x",
    ] {
        query(wrong, "#VALUE!");
    }
    let deep = format!("select A where {}D>1{}", "(".repeat(200), ")".repeat(200));
    query(&deep, "#VALUE!");
    query(&format!("select D{}", "+D".repeat(2000)), "#VALUE!");
}

#[test]
fn columns_of_arrays_have_numbered_names() {
    check(&[], "QUERY({1,\"a\";2,\"b\";3,\"a\"},\"select Col1 where Col2='a'\")", "{1;3}");
    check(&[], "QUERY({\"n\",\"t\";1,\"a\";2,\"b\"},\"select Col1\")", "{n;1;2}");
    check(&[], "QUERY({1,\"a\"},\"select A\")", "#VALUE!");
}

const PEOPLE: &[(&str, &str)] = &[
    ("A1", "Joe"),
    ("A2", "Anna"),
    ("A3", "Bertil"),
    ("A4", "Joe"),
    ("B1", "1"),
    ("B2", "2"),
    ("B3", "3"),
    ("B4", "0"),
];

#[test]
fn groupby_groups_rows() {
    check(PEOPLE, "GROUPBY(A1:A4,B1:B4,SUM)", "{Anna,2;Bertil,3;Joe,1;Total,6}");
    check(PEOPLE, "GROUPBY(A1:A4,B1:B4,SUM,,0)", "{Anna,2;Bertil,3;Joe,1}");
    check(PEOPLE, "GROUPBY(A1:A4,B1:B4,SUM,,-1,-2)", "{Total,6;Bertil,3;Anna,2;Joe,1}");
    check(PEOPLE, "GROUPBY(A1:A4,B1:B4,SUM,,,,A1:A4=\"JOE\")", "{Joe,1;Total,1}");
    check(
        PEOPLE,
        "GROUPBY(A1:A4,B1:B4,PERCENTOF,,0)",
        "{Anna,0.333333333333333;Bertil,0.5;Joe,0.166666666666667}",
    );
    check(PEOPLE, "GROUPBY(A1:A4,B1:B4,HSTACK(SUM,COUNT),,0)", "{,SUM,COUNT;Anna,2,1;Bertil,3,1;Joe,1,2}");
    check(PEOPLE, "GROUPBY(A1:A4,B1:B4,SUM,2,0)", "{Row Field 1,Value 1;Anna,2;Bertil,3;Joe,1}");
    check(PEOPLE, "GROUPBY(A1:A4,B1:B4,SUM,,,,A1:A4=\"x\")", "#CALC!");
    check(PEOPLE, "GROUPBY(A1:A4,B1:B3,SUM)", "#VALUE!");
    check(PEOPLE, "GROUPBY(A1:A4,B1:B4,5)", "#VALUE!");
    check(PEOPLE, "GROUPBY(A1:A4,B1:B4,NOSUCH)", "#NAME?");
    check(STAFF, "GROUPBY(B1:B7,D1:D7,SUM)", "{Eng,2100;Marketing,800;Sales,750;Total,3650}");
    check(STAFF, "GROUPBY(B1:B7,D1:D7,SUM,3,0)", "{dept,salary;Eng,2100;Marketing,800;Sales,750}");
}

#[test]
fn groupby_adds_subtotals() {
    let cells: &[(&str, &str)] = &[
        ("A1", "A"),
        ("A2", "B"),
        ("A3", "A"),
        ("A4", "A"),
        ("A5", "B"),
        ("B1", "X"),
        ("B2", "X"),
        ("B3", "Y"),
        ("B4", "Y"),
        ("B5", "Y"),
        ("C1", "1"),
        ("C2", "1"),
        ("C3", "2"),
        ("C4", "1"),
        ("C5", "1"),
    ];
    check(cells, "GROUPBY(A1:B5,C1:C5,SUM,,2)", "{A,X,1;A,Y,3;A,,4;B,X,1;B,Y,1;B,,2;Grand Total,,6}");
    check(cells, "GROUPBY(A1:B5,C1:C5,SUM,,-2)", "{Grand Total,,6;A,,4;A,X,1;A,Y,3;B,,2;B,X,1;B,Y,1}");
    check(cells, "GROUPBY(A1:B5,C1:C5,SUM,,0,{2,-1},,1)", "{B,X,1;A,X,1;B,Y,1;A,Y,3}");
    check(cells, "GROUPBY(A1:B5,C1:C5,SUM,,0,-3)", "{A,Y,3;A,X,1;B,X,1;B,Y,1}");
}

#[test]
fn pivotby_groups_rows_and_columns() {
    let cells: &[(&str, &str)] = &[
        ("A1", "A"),
        ("A2", "A"),
        ("A3", "B"),
        ("B1", "X"),
        ("B2", "Y"),
        ("B3", "X"),
        ("C1", "O"),
        ("C2", "I"),
        ("C3", "I"),
        ("D1", "2"),
        ("D2", "4"),
        ("D3", "1"),
    ];
    check(cells, "PIVOTBY(A1:A3,B1:B3,D1:D3,SUM)", "{,X,Y,Total;A,2,4,6;B,1,,1;Total,3,4,7}");
    check(cells, "PIVOTBY(A1:A3,B1:B3,D1:D3,SUM,,0,-1,0,-1)", "{,Y,X;B,,1;A,4,2}");
    check(
        cells,
        "PIVOTBY(A1:A3,B1:C3,D1:D3,SUM,,,,2)",
        "{,X,X,X,Y,Y,Grand Total;,I,O,,I,,;A,,2,2,4,4,6;B,1,,1,,,1;Total,1,2,3,4,4,7}",
    );
    check(
        cells,
        "PIVOTBY(A1:A3,B1:B3,D1:D3,PERCENTOF,,0,,0)",
        "{,X,Y;A,0.666666666666667,1;B,0.333333333333333,}",
    );
    check(
        cells,
        "PIVOTBY(A1:A3,B1:B3,D1:D3,PERCENTOF,,0,,0,,,1)",
        "{,X,Y;A,0.333333333333333,0.666666666666667;B,1,}",
    );
}

#[test]
fn function_names_are_accepted_as_lambdas() {
    check(&[], "BYROW({1,2;3,4},SUM)", "{3;7}");
    check(&[], "MAP({1,-2},ABS)", "{1,2}");
    check(&[], "LET(f,MAX,f(1,2))", "2");
    check(&[], "REDUCE(0,{1,2,3},SUM)", "6");
    check(&[], "LAMBDA(f,f({1,2}))(sum)", "3");
    check(&[], "SUM+1", "#NAME?");
}

#[test]
fn forecasts_continue_periodic_series_exactly() {
    let timeline = "SEQUENCE(12)";
    let values = "{11;21;16;14;24;19;17;27;22;20;30;25}";
    check(&[], &format!("FORECAST.ETS.SEASONALITY({values},{timeline})"), "3");
    check(&[], &format!("ROUND(FORECAST.ETS({{13;14;15;16}},{values},{timeline}),9)"), "{23;33;28;26}");
    check(&[], &format!("ROUND(FORECAST.ETS.STAT({values},{timeline},{{6,7,8}}),9)"), "{0,0,1}");
    // Monthly dates are one step apart.
    check(&[], "ROUND(FORECAST.ETS(DATE(2024,7,1),{1;3;5;7;9;11},DATE(2024,{1;2;3;4;5;6},1),0),9)", "13");
    // A missing value is the mean of its neighbors.
    check(&[], "ROUND(FORECAST.ETS(8,{1;2;3;5;6;7},{1;2;3;5;6;7},0),9)", "8");
    check(&[], "FORECAST.ETS(8,{1;2;9},{1;2;9},0)", "#NUM!");
}
