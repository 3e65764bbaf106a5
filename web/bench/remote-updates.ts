/** Remote edits of visible cells. */

import type { Page } from "@playwright/test";
import { counted, type Opened } from "./browser.ts";
import { putCells } from "./workbooks.ts";

/** Result of a run. */
export interface Updates {
  readonly perSecond: number;
  readonly busyShare: number;
  readonly paintsPerFrame: number;
  readonly lostShare: number;
  /** Share of lost frames in an equally long period without edits, for comparison. */
  readonly lostShareBefore: number;
}

const BATCHES_PER_SECOND = 20;
const COLUMNS = 10;

/** Writes `perSecond` cells per second by the REST API for `seconds`. */
export async function remoteUpdates(
  server: string,
  room: string,
  opened: Opened,
  perSecond: number,
  seconds: number,
): Promise<Updates> {
  const { page } = opened;
  const rows = perSecond / BATCHES_PER_SECOND / COLUMNS;
  const write = (turn: number): Promise<void> => {
    const cells = Array.from({ length: rows }, (_, row) =>
      Array.from({ length: COLUMNS }, (_, column) => turn * 1_000 + row * COLUMNS + column),
    );
    return putCells(server, room, `A1:J${rows}`, cells);
  };
  await write(0);
  await page.evaluate(() => {
    const frames: number[] = [];
    (window as unknown as { frameTimes: number[] }).frameTimes = frames;
    const step = (now: number): void => {
      frames.push(now);
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
  await page.waitForTimeout(seconds * 1000);
  const lostShareBefore = await lostSince(page);
  const before = await counted(page);
  const busyBefore = await opened.busySeconds();
  const started = performance.now();
  let turns = 0;
  const sent: Promise<void>[] = [];
  while (performance.now() - started < seconds * 1000) {
    turns += 1;
    sent.push(write(turns));
    const wait = started + (turns * 1000) / BATCHES_PER_SECOND - performance.now();
    await new Promise((done) => setTimeout(done, Math.max(0, wait)));
    if (sent.length > 40) {
      await sent.shift();
    }
  }
  await Promise.all(sent);
  const lostShare = await lostSince(page);
  const elapsed = (performance.now() - started) / 1000;
  const busy = (await opened.busySeconds()) - busyBefore;
  const after = await counted(page);
  return {
    perSecond: (turns * rows * COLUMNS) / elapsed,
    busyShare: busy / elapsed,
    paintsPerFrame: (after.paints - before.paints) / (after.frames - before.frames),
    lostShare,
    lostShareBefore,
  };
}

/** Share of frames since the last call that took longer than one and a half frame times. */
async function lostSince(page: Page): Promise<number> {
  const deltas = await page.evaluate(() => {
    const times = (window as unknown as { frameTimes: number[] }).frameTimes.splice(0);
    return times.slice(1).map((time, index) => time - (times[index] ?? time));
  });
  return deltas.filter((delta) => delta > 25).length / deltas.length;
}
