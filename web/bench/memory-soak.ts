/**
 * Memory growth over a day of editing, simulated in minutes: one edit every two seconds for 24
 * hours, half of them typed in the page and half remote. Memory after garbage collection must not
 * grow between the first hours and the end.
 */

import { readFileSync } from "node:fs";
import { account, type Account } from "./memory-account.ts";
import { goTo, ready, type Opened } from "./browser.ts";
import { putCells } from "./workbooks.ts";

export interface Sample {
  /** Number of edits before the sample. */
  readonly edits: number;
  readonly heapBytes: number;
  readonly engineBytes: number;
  /** Resident set size, including shared memory. */
  readonly processBytes: number;
  /** Anonymous resident memory of the process. */
  readonly privateBytes: number;
  readonly nodes: number;
  readonly listeners: number;
}

/** Samples, and memory by component at the first and at the last sample. */
export interface Soaked {
  readonly samples: readonly Sample[];
  readonly before: Account;
  readonly after: Account;
}

const ROWS = 40;
const SAMPLES = 24;

/** Size of the engine's WebAssembly memory. */
async function engineBytes({ page }: Opened): Promise<number> {
  const sizes = page.workers().map((worker) =>
    worker.evaluate(() => (globalThis as unknown as { quadrilleMemory?: WebAssembly.Memory }).quadrilleMemory?.buffer.byteLength ?? 0),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Samples the memory during `edits` edits; the first sample is taken after a fifth of them. */
export async function soak(
  opened: Opened,
  server: string,
  room: string,
  edits: number,
): Promise<Soaked> {
  const { page } = opened;
  const turns = Math.ceil(edits / (2 * ROWS));
  const warm = Math.ceil(turns / 5);
  const samples: Sample[] = [];
  let before: Account = new Map();
  for (let turn = 0; turn < turns; turn += 1) {
    await typeColumn(opened, turn);
    await putCells(server, room, `J1:J${ROWS}`, Array.from({ length: ROWS }, (_, row) => [turn * ROWS + row]));
    await ready(page);
    if (turn % 10 === 9) {
      await page.keyboard.press("Control+z");
      await page.mouse.wheel(0, turn % 20 === 19 ? -4_000 : 4_000);
    }
    const isDue = turn >= warm && (turn - warm) % Math.ceil((turns - warm) / SAMPLES) === 0;
    if (isDue || turn === turns - 1) {
      samples.push({ edits: (turn + 1) * 2 * ROWS, engineBytes: await engineBytes(opened), ...(await memory(opened)) });
      before = before.size === 0 ? await accountOf(opened) : before;
    }
  }
  return { samples, before, after: await accountOf(opened) };
}

async function accountOf({ page }: Opened): Promise<Account> {
  const browser = page.context().browser();
  return browser ? account(browser) : new Map();
}

/** Dispatches the key events of typing a column. */
async function typeColumn({ page }: Opened, turn: number): Promise<void> {
  await goTo(page, `${"ABCDEFGH"[turn % 8] ?? "A"}1`);
  await page.evaluate(
    ({ rows, turn }) => {
      const field = document.querySelector<HTMLTextAreaElement>(".cell-field");
      if (!field) {
        throw new Error("no field");
      }
      for (let row = 0; row < rows; row += 1) {
        field.value = row % 5 === 4 ? `=SUM(A1:H${rows})-${turn}` : String(turn * rows + row);
        field.dispatchEvent(new InputEvent("input", { bubbles: true }));
        field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", code: "Enter", bubbles: true, cancelable: true }));
      }
    },
    { rows: ROWS, turn },
  );
  await ready(page);
}

/** Growth during `edits` edits according to a least-squares line through the samples. */
export function growth(samples: readonly Sample[], of: (sample: Sample) => number, edits: number): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = samples.map((sample) => sample.edits);
  const y = samples.map(of);
  const [middleX, middleY] = [mean(x), mean(y)];
  const above = x.reduce((sum, at, index) => sum + (at - middleX) * ((y[index] ?? 0) - middleY), 0);
  const below = x.reduce((sum, at) => sum + (at - middleX) ** 2, 0);
  return below === 0 ? 0 : (above / below) * edits;
}

/** Samples the memory after a memory pressure notification, which drops caches. */
export async function afterPressure(opened: Opened): Promise<Sample> {
  await opened.devtools.send("Memory.simulatePressureNotification", { level: "critical" });
  await opened.page.waitForTimeout(3_000);
  return { edits: 0, engineBytes: await engineBytes(opened), ...(await memory(opened)) };
}

async function memory(opened: Opened): Promise<Omit<Sample, "edits" | "engineBytes">> {
  const { page, devtools } = opened;
  for (let turn = 0; turn < 2; turn += 1) {
    await devtools.send("HeapProfiler.collectGarbage");
    await Promise.all(page.workers().map((worker) => worker.evaluate(() => (globalThis as { gc?: () => void }).gc?.())));
    await page.waitForTimeout(300);
  }
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  const { nodes, jsEventListeners } = await devtools.send("Memory.getDOMCounters");
  const browser = page.context().browser();
  const session = await browser?.newBrowserCDPSession();
  const found = await session?.send("SystemInfo.getProcessInfo");
  await session?.detach();
  // Page and worker share a renderer process; of several renderers, the largest is measured.
  const sizes = (found?.processInfo ?? []).filter(({ type }) => type === "renderer").map(({ id }) => residentBytes(id));
  const largest = sizes.reduce((most, next) => (next.processBytes > most.processBytes ? next : most), NOTHING);
  return { heapBytes: usedSize, nodes, listeners: jsEventListeners, ...largest };
}

const NOTHING = { processBytes: 0, privateBytes: 0 };

function residentBytes(process: number): typeof NOTHING {
  try {
    const status = readFileSync(`/proc/${process}/status`, "utf8");
    const bytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) * 1024;
    return { processBytes: bytes("VmRSS"), privateBytes: bytes("RssAnon") };
  } catch {
    // The process has exited.
    return NOTHING;
  }
}
