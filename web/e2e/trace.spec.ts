import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, User, test } from "./user.ts";
import { Server } from "./server.ts";

interface TraceEvent {
  readonly name: string;
  readonly ph: "b" | "e";
  readonly ts: number;
  readonly pid: number;
  readonly id: string;
}

/** Parses the trace file of a running server, which is not terminated yet. */
async function serverTrace(file: string): Promise<TraceEvent[]> {
  const text = (await readFile(file, "utf8")).trimEnd().replace(/,$/, "");
  return JSON.parse(text.endsWith("]") ? text : `${text}]`) as TraceEvent[];
}

async function pageTrace(person: User): Promise<TraceEvent[]> {
  await person.page.getByRole("button", { name: /^File/ }).click();
  const [download] = await Promise.all([
    person.page.waitForEvent("download"),
    person.page.getByRole("menuitem", { name: "Stop and download trace" }).click(),
  ]);
  return JSON.parse(await readFile(await download.path(), "utf8")) as TraceEvent[];
}

test("a trace follows an edit from key to pixels in both clients", async ({ browser }) => {
  const folder = await mkdtemp(join(tmpdir(), "quadrille-trace-"));
  const file = join(folder, "server.json");
  const server = await Server.start("--trace", file);
  const enter = async (): Promise<User> => {
    const context = await browser.newContext({ locale: "en-US" });
    const page = await context.newPage();
    await page.goto(`${server.url}/traced`);
    const person = new User(page, context);
    await person.saved();
    return person;
  };
  try {
    const [ann, bob] = [await enter(), await enter()];
    for (const person of [ann, bob]) {
      await person.choose("File", "Record a trace");
    }
    await ann.type("B2", [["21"]]);
    await bob.seesInCell("B2", "21");
    await ann.saved();
    const [atAnn, atBob] = [await pageTrace(ann), await pageTrace(bob)];
    const typed = atAnn.find(({ name }) => name === "key");
    expect(typed).toBeDefined();
    const id = typed?.id ?? "";
    expect(id).toMatch(/^[0-9a-f]{16}-[1-9][0-9]*$/);
    // The server flushes its file periodically.
    await expect(async () => {
      const stages = (await serverTrace(file)).filter((event) => event.id === id).map(({ name }) => name);
      expect(stages).toContain("fan-out");
    }).toPass();

    const all = [...atAnn, ...(await serverTrace(file))].filter((event) => event.id === id);
    const begin = (name: string): number => all.find((event) => event.name === name && event.ph === "b")?.ts ?? NaN;
    const end = (name: string): number => all.find((event) => event.name === name && event.ph === "e")?.ts ?? NaN;
    const ways = ["key", "apply", "send", "queue", "order", "journal", "wait", "fan-out"];
    for (const [at, name] of ways.entries()) {
      expect(end(name), name).toBeGreaterThanOrEqual(begin(name));
      const before = ways[at - 1];
      if (before) {
        // The clocks of browser and server agree to about a millisecond.
        expect(begin(name), `${name} after ${before}`).toBeGreaterThan(begin(before) - 5_000);
      }
    }
    for (const events of [atAnn, atBob]) {
      const names = new Set(events.filter((event) => event.id === id).map(({ name }) => name));
      for (const name of ["receive", "recalculate", "paint"]) {
        expect(names, name).toContain(name);
      }
      expect(events.every(({ pid }) => pid === 2)).toBe(true);
    }
    expect(atBob.some((event) => event.id === id && event.name === "key"), "typed elsewhere").toBe(false);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
});
