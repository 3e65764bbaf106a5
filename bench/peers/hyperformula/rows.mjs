// HyperFormula in the engine benchmark: `node rows.mjs task NAME`, `flat CELLS`, `workbook FILE INPUTS`.
// The tasks are those of bench/tasks/src/tasks.rs and must be changed together with them. HyperFormula
// evaluates in the call that changes a cell, so "evaluate" is empty and the first evaluation is part of
// setting formulas.

import { readFileSync } from 'node:fs';
import { HyperFormula } from 'hyperformula';

const ROWS = 100_000;
const MILLION = 1_000_000;
const SHEET = 0;

const options = { licenseKey: 'gpl-v3', maxRows: 1_048_576, maxColumns: 16_384 };

const now = () => performance.now();
const sample = (index) => (index % 1000) + 0.5;
const column = (count, value) => Array.from({ length: count }, (_, row) => value(row));
const shuffled = (count) => column(count, (row) => (row * 739_391) % count);

/** Rows of cells from columns of equal length. */
function rowsOf(...columns) {
  return columns[0].map((_, row) => columns.map((cells) => cells[row]));
}

function build(rows) {
  return HyperFormula.buildFromArray(rows, options);
}

function expect(engine, row, col, expected) {
  const found = engine.getCellValue({ sheet: SHEET, row, col });
  if (!(typeof found === 'number' && Math.abs(found - expected) <= Math.abs(expected) * 1e-9)) {
    throw new Error(`row ${row}, column ${col} is ${JSON.stringify(found)}, not ${expected}`);
  }
}

function set(engine, row, col, value) {
  engine.setCellContents({ sheet: SHEET, row, col }, value);
}

/** Sorted milliseconds of each repetition, as `repeated` in bench/rows. */
function repeated({ count, countMin, seconds }, action) {
  const started = now();
  const durations = [];
  for (let turn = 0; turn < count; turn++) {
    if (turn >= countMin && (now() - started) / 1000 > seconds) break;
    const start = now();
    action(turn);
    durations.push(now() - start);
  }
  return durations.sort((a, b) => a - b);
}
const FEW = { count: 11, countMin: 2, seconds: 4 };
const MANY = { count: 2000, countMin: 5, seconds: 2 };
const quantile = (sorted, share) => sorted[Math.round((sorted.length - 1) * share)];
const median = (sorted) => quantile(sorted, 0.5);

function timed(action) {
  const start = now();
  const result = action();
  return [now() - start, result];
}

function resident() {
  globalThis.gc?.();
  return process.memoryUsage().rss;
}

function twoColumnsAndFormulas(rows) {
  return build(column(rows, (row) => [sample(row), sample(row), `=A${row + 1}*2+B${row + 1}`]));
}

function chain(engine, name, first, last, gain) {
  const durations = repeated(FEW, (turn) => set(engine, first, 0, turn + 0.25));
  expect(engine, last, 0, durations.length - 0.75 + gain);
  return { [name]: median(durations) };
}

function lookupTable(keys, exact) {
  return column(ROWS, (row) => {
    const line = [keys[row], row];
    if (row < 10_000) line.push(null, row * 10, `=VLOOKUP(D${row + 1},A$1:B$100000,2,${exact ? 'FALSE' : 'TRUE'})`);
    return line;
  });
}

const tasks = {
  load() {
    const rows = column(ROWS, (row) => column(10, () => sample(row)));
    const before = resident();
    const [load, engine] = timed(() => build(rows));
    const after = resident();
    expect(engine, ROWS - 1, 9, sample(ROWS - 1));
    return { load, load_bytes: (after - before) / MILLION };
  },
  formulas() {
    const engine = build(column(ROWS, (row) => [sample(row), sample(row)]));
    const texts = column(ROWS, (row) => [`=A${row + 1}*2+B${row + 1}`]);
    const before = resident();
    const [formulas] = timed(() => engine.setCellContents({ sheet: SHEET, row: 0, col: 2 }, texts));
    const after = resident();
    expect(engine, ROWS - 1, 2, sample(ROWS - 1) * 3);
    return { formulas, formula_bytes: Math.max(0, (after - before) / ROWS - 8) };
  },
  edit() {
    const engine = twoColumnsAndFormulas(ROWS);
    const leaf = repeated(MANY, (turn) => set(engine, turn, 5, turn));
    const dependent = repeated(MANY, (turn) => set(engine, (turn * 37) % ROWS, 0, turn));
    expect(engine, 37, 2, 2 + sample(37));
    return {
      edit_leaf: median(leaf) * 1e3,
      edit_leaf_p99: quantile(leaf, 0.99) * 1e3,
      edit_dependent: median(dependent) * 1e3,
      edit_dependent_p99: quantile(dependent, 0.99) * 1e3,
    };
  },
  chain_down() {
    const engine = build(column(ROWS, (row) => [row === 0 ? 1 : `=A${row}+1`]));
    return chain(engine, 'chain_down', 0, ROWS - 1, ROWS - 1);
  },
  chain_up() {
    const engine = build(column(ROWS, (row) => [row === ROWS - 1 ? 1 : `=A${row + 2}+1`]));
    return chain(engine, 'chain_up', ROWS - 1, 0, ROWS - 1);
  },
  chain_mixed() {
    const shape = (row) => [`=A${row}+1`, `=A${row}-1`, `=A${row}*1`, `=1+A${row}`][row % 4];
    const engine = build(column(ROWS, (row) => [row === 0 ? 1 : shape(row)]));
    let gain = 0;
    for (let row = 1; row < ROWS; row++) gain += [1, -1, 0, 1][row % 4];
    return chain(engine, 'chain_mixed', 0, ROWS - 1, gain);
  },
  sums() {
    const engine = build(
      column(ROWS, (row) => (row < 1000 ? [sample(row), null, '=SUM(A$1:A$100000)'] : [sample(row)])),
    );
    const durations = repeated(FEW, (turn) => set(engine, 499, 0, turn));
    const total = column(ROWS, sample).reduce((sum, number) => sum + number, 0);
    expect(engine, 999, 2, total - sample(499) + durations.length - 1);
    return { sums: median(durations) };
  },
  prefixes() {
    const engine = build(column(20_000, (row) => [sample(row), null, `=SUM(A$1:A${row + 1})`]));
    const durations = repeated(FEW, (turn) => set(engine, 0, 0, turn));
    const total = column(20_000, sample).reduce((sum, number) => sum + number, 0);
    expect(engine, 19_999, 2, total - sample(0) + durations.length - 1);
    return { prefixes: median(durations) };
  },
  insert() {
    const engine = twoColumnsAndFormulas(ROWS);
    const [insert] = timed(() => {
      engine.addRows(SHEET, [0, 1]);
      expect(engine, ROWS, 2, sample(ROWS - 1) * 3);
    });
    const [read] = timed(() => {
      for (let row = 1; row <= ROWS; row++) expect(engine, row, 2, sample(row - 1) * 3);
    });
    return { insert, insert_read: insert + read };
  },
  lookup_exact() {
    const keys = shuffled(ROWS);
    const [lookup_exact, engine] = timed(() => build(lookupTable(keys, true)));
    const rowOf = (key) => keys.indexOf(key);
    for (const lookup of [0, 1, 4_999, 9_999]) expect(engine, lookup, 4, rowOf(lookup * 10));
    const value = repeated(FEW, (turn) => set(engine, rowOf(10), 1, turn + 0.5));
    expect(engine, 1, 4, value.length - 0.5);
    const key = repeated(FEW, (turn) => set(engine, rowOf(11), 0, 200_000 + turn));
    return { lookup_exact, lookup_edit: median(value), lookup_edit_key: median(key) };
  },
  lookup_approximate() {
    const [lookup_approximate, engine] = timed(() => build(lookupTable(column(ROWS, (row) => row * 1.5), false)));
    for (const lookup of [0, 1, 4_999, 9_999]) expect(engine, lookup, 4, Math.floor((lookup * 10) / 1.5));
    return { lookup_approximate };
  },
  parse() {
    // Its parser has no public door of its own; normalizeFormula parses and prints. A sample, since it is slow.
    const engine = HyperFormula.buildEmpty(options);
    const texts = column(ROWS / 10, (row) => `=${formulaText(row + 1)}`);
    const durations = repeated({ ...FEW, count: 3 }, () => texts.forEach((text) => engine.normalizeFormula(text)));
    return { parse: texts.length / (median(durations) / 1e3) };
  },
  aggregate() {
    const engine = build(column(MILLION, (row) => [sample(row), row % 10, row % 7]));
    const [sum_million] = timed(() => set(engine, 0, 4, '=SUM(A1:A1000000)'));
    let total = 0;
    let chosen = 0;
    for (let row = 0; row < MILLION; row++) {
      total += sample(row);
      if (row % 10 === 3 && row % 7 >= 4) chosen += sample(row);
    }
    expect(engine, 0, 4, total);
    const [sumifs] = timed(() => set(engine, 1, 4, '=SUMIFS(A1:A1000000,B1:B1000000,3,C1:C1000000,">=4")'));
    expect(engine, 1, 4, chosen);
    return { sum_million, sumifs };
  },
};

function formulaText(row) {
  return [
    `A${row}*2+B${row}`,
    `SUM(A$1:A${row})`,
    `IF(A${row}>B${row},"yes","no")`,
    `VLOOKUP(D${row},$A$1:$B$1000,2,FALSE)`,
    `(A${row}-B${row})/C${row}`,
    `ROUND(A${row}*1.21,2)`,
    `A${row}&" "&B${row}`,
    `SUMIFS(C:C,A:A,A${row},B:B,">10")`,
    `IFERROR(INDEX(A1:A100,MATCH(B${row},C1:C100,0)),0)`,
    `DATE(2024,MONTH(A${row})+1,1)-1`,
  ][row % 10];
}

const letter = (index) => (index < 26 ? '' : String.fromCharCode(64 + Math.floor(index / 26))) + String.fromCharCode(65 + (index % 26));

function flat(cells) {
  const groups = Math.min(10, Math.max(1, Math.ceil(cells / 3 / ROWS)));
  const rows = Math.max(1, Math.floor(cells / 3 / groups));
  const engine = build(
    column(rows, (row) =>
      Array.from({ length: groups }, (_, group) => {
        const name = (offset) => letter(group * 3 + offset);
        return [sample(row), sample(row), `=${name(0)}${row + 1}*2+${name(1)}${row + 1}`];
      }).flat(),
    ),
  );
  const durations = repeated(MANY, (turn) => set(engine, (turn * 7919) % rows, (turn % groups) * 3, turn));
  return { flat_p50: median(durations) * 1e3, flat_p99: quantile(durations, 0.99) * 1e3 };
}

/** HyperFormula reads no files; exceljs does, as part of the load time. Evaluation is not measured separately. */
async function workbook(file, inputsFile) {
  const inputs = readFileSync(inputsFile, 'utf8')
    .split('\n')
    .map((line) => line.split('\t'))
    .filter((parts) => parts.length === 4 && parts[0] !== '#');
  const start = now();
  const sheets = file.endsWith('.csv') ? csvSheets(file) : await xlsxSheets(file);
  const load = now() - start;
  const [recalculation, engine] = timed(() => HyperFormula.buildFromSheets(sheets, options));
  if (inputs.length === 0) return { load, recalculation };
  const durations = repeated({ count: inputs.length, countMin: 3, seconds: 2 }, (turn) => {
    const [row, col, number, name] = inputs[turn];
    const sheet = engine.getSheetId(name);
    engine.setCellContents({ sheet, row: Number(row), col: Number(col) }, Number(number) * 1.01 + 1);
  });
  return { load, recalculation, edit_p50: median(durations) * 1e3, edit_p99: quantile(durations, 0.99) * 1e3 };
}

async function xlsxSheets(file) {
  const { default: ExcelJS } = await import('exceljs');
  const book = new ExcelJS.Workbook();
  await book.xlsx.readFile(file);
  const sheets = {};
  for (const sheet of book.worksheets) {
    const rows = [];
    sheet.eachRow({ includeEmpty: true }, (row) => {
      const cells = [];
      row.eachCell({ includeEmpty: true }, (cell) => cells.push(contentOf(cell)));
      rows.push(cells);
    });
    sheets[sheet.name] = rows;
  }
  return sheets;
}

function contentOf(cell) {
  if (cell.formula) return `=${cell.formula}`;
  const { value } = cell;
  if (value === null || ['number', 'string', 'boolean'].includes(typeof value)) return value;
  if (value instanceof Date) return value.getTime() / 86_400_000 + 25_569;
  return cell.text ?? null;
}

function csvSheets(file) {
  const name = file.split('/').pop().replace(/\.csv$/, '');
  const lines = readFileSync(file, 'utf8').split(/\r?\n/).filter((line) => line !== '');
  return { [name]: lines.map((line) => line.split(',').map((text) => (text !== '' && !Number.isNaN(Number(text)) ? Number(text) : text))) };
}

const [command, ...rest] = process.argv.slice(2);
let answer;
try {
  if (command === 'task') {
    answer = tasks[rest[0]] ? tasks[rest[0]]() : { trouble: 'not supported' };
  } else if (command === 'flat') {
    answer = flat(Number(rest[0]));
  } else {
    answer = await workbook(...rest);
  }
} catch (error) {
  answer = { trouble: `wrong: ${error.message}` };
}
console.log(JSON.stringify(answer));
