/** A day of editing in a few minutes: memory must be at the end what it was after the first hours. */

import { readFileSync } from "node:fs";
import type { Opened } from "./page.ts";
import { goTo, ready } from "./page.ts";

export interface Soak {
  readonly heapBefore: number;
  readonly heapAfter: number;
  readonly processBefore: number;
  readonly processAfter: number;
}

const ROWS = 40;

export async function soak(opened: Opened, edits: number): Promise<Soak> {
  const { page } = opened;
  const round = async (turn: number): Promise<void> => {
    const column = "ABCDEFGH"[turn % 8] ?? "A";
    await goTo(page, `${column}1`);
    await page.evaluate(
      ({ rows, turn }) => {
        // The keys that a person presses, without waiting for the person.
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
    if (turn % 10 === 9) {
      await page.keyboard.press("Control+z");
      await page.mouse.wheel(0, turn % 20 === 19 ? -4_000 : 4_000);
    }
  };
  const turns = Math.ceil(edits / ROWS);
  const warm = Math.ceil(turns / 5);
  for (let turn = 0; turn < warm; turn += 1) {
    await round(turn);
  }
  const before = await memory(opened);
  for (let turn = warm; turn < turns; turn += 1) {
    await round(turn);
  }
  const after = await memory(opened);
  return { heapBefore: before.heap, heapAfter: after.heap, processBefore: before.process, processAfter: after.process };
}

async function memory({ page, devtools }: Opened): Promise<{ heap: number; process: number }> {
  await devtools.send("HeapProfiler.collectGarbage");
  await page.waitForTimeout(300);
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  const browser = page.context().browser();
  const session = await browser?.newBrowserCDPSession();
  const found = await session?.send("SystemInfo.getProcessInfo");
  await session?.detach();
  // Engine and page share a renderer; with others open, the largest of them is meant.
  const sizes = (found?.processInfo ?? []).filter(({ type }) => type === "renderer").map(({ id }) => residentBytes(id));
  return { heap: usedSize, process: Math.max(0, ...sizes) };
}

function residentBytes(process: number): number {
  try {
    const line = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${process}/status`, "utf8"));
    return Number(line?.[1] ?? 0) * 1024;
  } catch {
    // Gone since the browser named it.
    return 0;
  }
}
