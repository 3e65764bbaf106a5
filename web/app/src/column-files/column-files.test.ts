import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Cell } from "./cell-values.ts";
import { CellTable } from "./cell-table.ts";
import { ColumnFileError, fileError } from "./column-file-error.ts";

/** Files of pyarrow, polars and DuckDB; `expected.json` has what pyarrow reads from them. */
const FIXTURES = join(import.meta.dirname, "../../../../fixtures/columns");

/** A value of a cell, or JSON in it. */
type Expected = string | number | boolean | null | { readonly json: unknown };

const EXPECTED = JSON.parse(readFileSync(join(FIXTURES, "expected.json"), "utf8")) as Readonly<
  Record<string, { readonly names: readonly string[]; readonly rows: readonly (readonly Expected[])[] }>
>;

function fixture(name: string): Blob {
  return new Blob([readFileSync(join(FIXTURES, name))]);
}

async function readAll(file: Blob): Promise<{ readonly table: CellTable; readonly rows: readonly (readonly Cell[])[] }> {
  const table = await CellTable.open(file);
  const rows: Cell[][] = [];
  for await (const batch of table.batches()) {
    for (const cells of batch) {
      rows.push([...cells]);
    }
  }
  return { table, rows };
}

/** Whether a cell is the expected one; times to the precision of 64 bits. */
function isExpected(cell: Cell, expected: Expected): boolean {
  if (expected !== null && typeof expected === "object") {
    assert.deepEqual(JSON.parse(String(cell)), expected.json);
    return true;
  }
  if (typeof expected === "number" && typeof cell === "number") {
    return cell === expected || Math.abs(cell - expected) <= 2 * Number.EPSILON * Math.abs(expected);
  }
  return (cell ?? null) === expected;
}

for (const [name, expected] of Object.entries(EXPECTED)) {
  test(`${name} has the cells that pyarrow reads`, async () => {
    const { table, rows } = await readAll(fixture(name));
    assert.deepEqual(table.names, expected.names);
    assert.equal(rows.length, table.rowCount);
    // Of long files, the last rows are compared.
    const compared = rows.slice(-expected.rows.length);
    assert.equal(compared.length, expected.rows.length);
    compared.forEach((row, index) => {
      expected.names.forEach((column, position) => {
        const [cell, wanted] = [row[position], expected.rows[index]?.[position] ?? null];
        assert.ok(isExpected(cell, wanted), `row ${index + 1}, ${column}: ${JSON.stringify(cell)} instead of ${JSON.stringify(wanted)}`);
      });
    });
  });
}

test("columns of times and decimals have formats, and other forms are named", async () => {
  const { table } = await readAll(fixture("types.parquet"));
  const formats = Object.fromEntries(table.names.map((name, index) => [name, table.numberFormats[index]]));
  assert.equal(formats["date"], "yyyy-mm-dd");
  assert.equal(formats["seconds"], "yyyy-mm-dd hh:mm:ss");
  assert.equal(formats["milliseconds"], "yyyy-mm-dd hh:mm:ss.000");
  assert.equal(formats["utc"], "yyyy-mm-dd hh:mm:ss");
  assert.equal(formats["time_us"], "hh:mm:ss");
  assert.equal(formats["time_ms"], "hh:mm:ss.000");
  assert.equal(formats["duration"], "[h]:mm:ss.000");
  assert.equal(formats["decimal"], "0.00");
  assert.equal(formats["int32"], undefined);
  const changes = Object.fromEntries(table.changes.map(({ change, columns }) => [change, columns]));
  assert.deepEqual(changes, {
    digits: ["int64", "uint64", "decimal38"],
    notFinite: ["double", "infinite"],
    dates: ["date", "seconds", "nanoseconds"],
    zones: ["utc", "berlin"],
    bytes: ["bytes", "fixed_bytes"],
    nested: ["list", "large_list", "fixed_list", "struct", "nested", "map", "map_of_days"],
  });
});

test("the kinds of other forms are the same in Arrow files", async () => {
  const [parquet, arrow] = await Promise.all([readAll(fixture("types.parquet")), readAll(fixture("types.feather"))]);
  assert.deepEqual(arrow.table.changes, parquet.table.changes);
  assert.deepEqual(arrow.table.numberFormats, parquet.table.numberFormats);
});

async function errorOf(file: Blob): Promise<ColumnFileError> {
  return readAll(file).then(
    () => assert.fail("the file was read"),
    (error: unknown) => {
      assert.ok(!(error instanceof assert.AssertionError), error as Error);
      return fileError(error);
    },
  );
}

test("a file that ends in the middle is an error", async () => {
  for (const name of ["types.parquet", "pages-2.parquet", "types.arrow", "types.feather", "stream-zstd.arrows"]) {
    const bytes = readFileSync(join(FIXTURES, name));
    for (let length = 0; length < bytes.length - 16; length += 997) {
      const error = await errorOf(new Blob([bytes.subarray(0, length)]));
      assert.ok(["bad_columns", "columns_not_supported"].includes(error.code), `${name}, ${length} bytes: ${error.code} ${error.message}`);
    }
  }
});

test("a damaged length in the metadata of Arrow data is an error before memory is used up", async () => {
  for (const name of ["union.arrow", "views.arrow", "runs.arrow", "polars.arrow", "stream-zstd.arrows"]) {
    const bytes = readFileSync(join(FIXTURES, name));
    let errorCount = 0;
    // Lengths of vectors are at multiples of 4 bytes.
    for (let at = 0; at + 4 <= Math.min(bytes.length, 3000); at += 4) {
      const isSmall = bytes.readUInt32LE(at) > 0 && bytes.readUInt32LE(at) < 100;
      if (isSmall) {
        const damaged = Buffer.from(bytes);
        damaged.writeInt32LE(0x7ffffff0, at);
        // A value may be changed, too, which is no error.
        await readAll(new Blob([damaged])).catch((error: unknown) => {
          const { code, message } = fileError(error);
          assert.ok(error instanceof ColumnFileError || code === "bad_columns", `${name} at ${at}: ${code} ${message}`);
          errorCount += 1;
        });
      }
    }
    assert.ok(errorCount > 5, `${name}: ${errorCount} errors`);
  }
});

test("files that cannot be read say why", async () => {
  assert.equal((await errorOf(new Blob(["PARE", new Uint8Array(100), "PARE"]))).code, "encrypted");
  assert.equal((await errorOf(new Blob(["FEA1", new Uint8Array(100), "FEA1"]))).code, "columns_not_supported");
  assert.equal((await errorOf(new Blob(["a,b\n1,2\n"]))).code, "bad_columns");
  assert.equal((await errorOf(new Blob(["PAR1", new Uint8Array(100), "PAR1"]))).code, "bad_columns");
});
