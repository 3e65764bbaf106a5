import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formulaOnLines, formulaOnOneLine, type LayoutOptions } from "./formula-layout.ts";
import { R1C1 } from "./r1c1.ts";

const ENGLISH: LayoutOptions = { width: 40, separator: "," };

describe("formulas on several lines", () => {
  it("leaves a formula that fits on one line", () => {
    assert.equal(formulaOnLines("= SUM( A1 , B1 )", ENGLISH), "=SUM(A1,B1)");
  });

  it("gives each argument a line, and breaks arguments that are too long again", () => {
    const formula = `=IF(SUM(Orders!B2:B2000)>10000,VLOOKUP(A1,'Prices 2026'!$A$1:$D$100,4,FALSE),"no orders, yet")`;
    assert.equal(
      formulaOnLines(formula, ENGLISH),
      ["=IF(", "  SUM(Orders!B2:B2000)>10000,", "  VLOOKUP(", "    A1,", "    'Prices 2026'!$A$1:$D$100,", "    4,", "    FALSE", "  ),", '  "no orders, yet"', ")"].join("\n"),
    );
  });

  it("keeps a name of LET with its value, and a condition of IFS with its result", () => {
    const formula = '=LET(price,B2*1.19,rebate,IFS(price>1000,0.1,price>100,0.05,TRUE,0),price-price*rebate)';
    assert.equal(
      formulaOnLines(formula, ENGLISH),
      ["=LET(", "  price, B2*1.19,", "  rebate, IFS(", "    price>1000, 0.1,", "    price>100, 0.05,", "    TRUE, 0", "  ),", "  price-price*rebate", ")"].join("\n"),
    );
  });

  it("breaks before the operators that bind least", () => {
    assert.equal(
      formulaOnLines("=Revenue2026*ExchangeRate-Costs2026*ExchangeRate", ENGLISH),
      "=Revenue2026*ExchangeRate\n- Costs2026*ExchangeRate",
    );
    assert.equal(formulaOnLines("=-A1000000*-B1000000*(-C1000000)*D1000000", { ...ENGLISH, width: 30 }), "=-A1000000\n* -B1000000\n* (-C1000000)\n* D1000000");
  });

  it("keeps texts, array constants, columns of tables and intersections", () => {
    const formula = '=SUM(Sales[[#Totals],[Net amount]],{1,2;3,4},January North,"a ""quoted""  text")';
    assert.equal(
      formulaOnLines(formula, ENGLISH),
      ["=SUM(", "  Sales[[#Totals],[Net amount]],", "  {1,2;3,4},", "  January North,", '  "a ""quoted""  text"', ")"].join("\n"),
    );
  });

  it("uses the separators and function names of the reader", () => {
    const german: LayoutOptions = { width: 30, separator: ";", englishName: (name) => (name === "WENNS" ? "IFS" : name) };
    assert.equal(formulaOnLines("=WENNS(A1>1,5;SUMME(B1:B9);WAHR;MITTELWERT(C1:C9))", german), "=WENNS(\n  A1>1,5; SUMME(B1:B9);\n  WAHR; MITTELWERT(C1:C9)\n)");
  });

  it("reads R1C1 notation", () => {
    assert.equal(formulaOnLines("=SUM(R[-9]C:R[-1]C)", { ...ENGLISH, width: 10, notation: R1C1 }), "=SUM(\n  R[-9]C:R[-1]C\n)");
  });

  it("joins the lines again", () => {
    for (const formula of ['=IF(SUM(B2:B2000)>10000,VLOOKUP(A1,D1:E9,2),"none")', "=A1+(B1:C9 B2:D4)", "=LAMBDA(x,x^2)(A1)%", "=SUM(A1#,@B1:B9,)"]) {
      const broken = formulaOnLines(formula, { ...ENGLISH, width: 12 });
      assert.equal(formulaOnOneLine(broken ?? "", ENGLISH), formula);
    }
  });

  it("does not change a formula whose parentheses do not match", () => {
    assert.equal(formulaOnLines("=SUM(A1,(B1)", ENGLISH), undefined);
    assert.equal(formulaOnLines("=SUM(A1))", ENGLISH), undefined);
    assert.equal(formulaOnLines("a text", ENGLISH), undefined);
  });
});
