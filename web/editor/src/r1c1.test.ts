import assert from "node:assert/strict";
import { test } from "node:test";
import { A1 } from "./notation.ts";
import { canPoint } from "./reference-pointing.ts";
import { R1C1 } from "./r1c1.ts";
import { cycleAbsolute, moveReference, references, mapReferences, tokens } from "./tokens.ts";

/** C5 */
const HOST = { row: 4, column: 2 };
const cells = (top: number, left: number, bottom = top, right = left) => ({ top, left, bottom, right });

const kinds = (formula: string): string =>
  tokens(formula, R1C1)
    .filter(({ kind }) => kind !== "operator" && kind !== "bracket" && kind !== "space")
    .map(({ kind, start, end }) => `${kind}:${formula.slice(start, end)}`)
    .join(" ");

test("R1C1 references are distinguished from names, functions and strings", () => {
  assert.equal(kinds('=SUM(R1C1:R[2]C[-1],rc)&"RC"'), 'function:SUM reference:R1C1:R[2]C[-1] reference:rc text:"RC"');
  assert.equal(kinds("=R5+C[1]:C3+R+'My sheet'!RC1"), "reference:R5 reference:C[1]:C3 reference:R reference:'My sheet'!RC1");
  assert.equal(kinds("=Rate+RC.x+COLUMN(C)+Prices[R]"), "name:Rate name:RC.x function:COLUMN reference:C name:Prices reference:R");
  // Incomplete reference.
  assert.equal(kinds("=R[-1"), "name:R number:1");
  assert.equal(kinds("=LET(x,RC[-1],x*2)"), "function:LET name:x reference:RC[-1] name:x number:2");
});

test("references that exist in A1 notation only are accepted", () => {
  assert.deepEqual(
    references("=A1:B2+$C$3+C3+R5+RC1", R1C1, HOST).map(({ range }) => range),
    [cells(0, 0, 1, 1), cells(2, 2), cells(0, 2, 1_048_575, 2), cells(4, 0, 4, 16_383), cells(4, 0)],
  );
});

test("relative references are relative to the formula's cell", () => {
  const range = (text: string) => R1C1.parse(text, HOST);
  assert.deepEqual(range("R2C3"), cells(1, 2));
  assert.deepEqual(range("r[-1]c"), cells(3, 2));
  assert.deepEqual(range("R2C1:R9C4"), cells(1, 0, 8, 3));
  assert.deepEqual(range("R[1]C[1]:R1C1"), cells(0, 0, 5, 3));
  assert.deepEqual(range("R3:R[1]"), cells(2, 0, 5, 16_383));
  assert.deepEqual(range("C"), cells(0, 2, 1_048_575, 2));
  assert.deepEqual(range("C4:C2"), cells(0, 1, 1_048_575, 3));
  // Relative references wrap around the edge of the sheet, as in Excel.
  assert.deepEqual(range("R[-5]C[-3]"), cells(1_048_575, 16_383));
  for (const wrong of ["R0C1", "R1C16385", "R1048577", "R1:C1", "R1C1:", "R1C1:R2", "RR", "A1:C3", ""]) {
    assert.equal(range(wrong), undefined, wrong);
  }
});

test("ranges are formatted in R1C1 notation and parsed again", () => {
  assert.equal(R1C1.range(cells(4, 2)), "R5C3");
  assert.equal(R1C1.range(cells(1, 0, 8, 3)), "R2C1:R9C4");
  assert.equal(R1C1.range(cells(0, 1, 1_048_575, 1)), "C2");
  assert.equal(R1C1.range(cells(1, 0, 3, 16_383)), "R2:R4");
  assert.equal(R1C1.formatReference(cells(4, 2), HOST), "RC");
  assert.equal(R1C1.formatReference(cells(3, 0, 4, 1), HOST), "R[-1]C[-2]:RC[-1]");
  assert.equal(R1C1.formatReference(cells(0, 3, 1_048_575, 4), HOST), "C[1]:C[2]");
  for (const range of [cells(4, 2), cells(3, 0, 9, 7), cells(2, 0, 4, 16_383), cells(0, 2, 1_048_575, 5)]) {
    assert.deepEqual(R1C1.parse(R1C1.range(range), HOST), range);
    assert.deepEqual(R1C1.parse(R1C1.formatReference(range, HOST), HOST), range);
  }
});

test("F4 cycles through relative and absolute references", () => {
  const formulas = ["=R[1]C[1]"];
  for (let turn = 0; turn < 4; turn += 1) {
    formulas.push(cycleAbsolute(formulas.at(-1) ?? "", 3, R1C1, HOST)?.text ?? "");
  }
  assert.deepEqual(formulas, ["=R[1]C[1]", "=R6C4", "=R6C[1]", "=R[1]C4", "=R[1]C[1]"]);
  assert.equal(cycleAbsolute("=SUM(R1C1:R2C3)", 7, R1C1, HOST)?.text, "=SUM(R1C[-2]:R2C)");
  assert.equal(cycleAbsolute("=Data!R", 7, R1C1, HOST)?.text, "=Data!R5");
  assert.equal(cycleAbsolute("=C4:C5", 4, R1C1, HOST)?.text, "=C[1]:C[2]");
  assert.equal(cycleAbsolute("=A1", 3, R1C1, HOST)?.text, "=$A$1");
});

test("moving a reference keeps its absolute parts", () => {
  const moved = (formula: string, range: ReturnType<typeof cells>) => {
    const [reference] = references(formula, R1C1, HOST);
    assert.ok(reference);
    return moveReference(formula, reference, range, R1C1, HOST).text;
  };
  assert.equal(moved("=Data!RC[1]*2", cells(5, 1)), "=Data!R[1]C[-1]*2");
  assert.equal(moved("=R1C1:RC", cells(1, 1, 4, 3)), "=R2C2:RC[1]");
  assert.equal(moved("=R1C1:RC", cells(1, 1)), "=R2C2");
  assert.equal(moved("=$A1+1", cells(1, 1)), "=$B2+1");
});

test("formulas convert between A1 and R1C1, with sheets, dollar signs, whole rows and columns", () => {
  const pairs = [
    ["=SUM(B4:$C$5)*2", "=SUM(R[-1]C[-1]:R5C3)*2"],
    ["='My sheet'!$A1&\"A1\"", "='My sheet'!R[-4]C1&\"A1\""],
    ["=Data!A$1:C5", "=Data!R1C[-2]:RC"],
    ["=SUM($A:$A,D:F,$5:$5,4:6)+LOG10(rate)", "=SUM(C1,C[1]:C[3],R5,R[-1]:R[1])+LOG10(rate)"],
  ] as const;
  for (const [stored, shown] of pairs) {
    assert.equal(mapReferences(stored, A1, (address) => R1C1.fromA1(address, HOST)), shown);
    assert.equal(mapReferences(shown, R1C1, (address) => R1C1.toA1(address, HOST)), stored);
  }
  // References that exist in A1 notation only are unchanged.
  assert.equal(mapReferences("=A1+RC[1]", R1C1, (address) => R1C1.toA1(address, HOST)), "=A1+D5");
});

test("point mode does not follow a minus inside square brackets", () => {
  assert.ok(!canPoint("=R[-", 4, undefined));
  assert.ok(canPoint("=R[-1]C-", 8, undefined));
});
