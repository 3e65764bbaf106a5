import type { Page } from "@playwright/test";
import { give, picture, pixelsOf } from "./image-files.ts";
import { expect, Person, test } from "./sheet.ts";

/** The page's files are kept once its worker is active. */
async function kept(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await expect
    .poll(() => page.evaluate(async () => (await caches.match("/index.html")) !== undefined))
    .toBe(true);
}

async function another(person: Person): Promise<Person> {
  const page = await person.context.newPage();
  await page.goto(person.page.url());
  const again = new Person(page, person.context);
  await again.seesInCell("A1", /.*/);
  return again;
}

test("a known room opens without a server, and a closed tab's edits are sent once", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["1"], ["=A1*10"]]);
  await ann.saved();
  await kept(ann.page);
  await ann.select("B1");
  await world.server.kill();
  await ann.status(/Offline/);

  // The tab that saw it is closed; another opens from what is kept.
  const second = await another(ann);
  await ann.page.close();
  await second.status("Offline");
  await second.sees("A1", [["1"], ["10"]]);
  await second.type("A1", [["2"]]);
  await second.type("C1", [["kept"]]);
  await second.status("Offline · 2 changes kept on this device, not sent yet");
  await second.page.close();

  // And once more: the edits are there, in the order they were made, and can be taken back.
  const third = new Person(await ann.context.newPage(), ann.context);
  await third.page.goto(`${world.server.url}/${new URL(bob.page.url()).pathname.slice(1)}`);
  await third.seesInCell("C1", "kept");
  await third.sees("A1", [["2"], ["20"]]);
  await third.status("Offline · 2 changes kept on this device, not sent yet");
  await third.select("C1");
  await third.press("Control+z");
  await third.seesInCell("C1", "");
  await third.press("Control+y");
  await third.seesInCell("C1", "kept");

  await world.server.run();
  await third.saved();
  await bob.saved();
  await bob.sees("A1", [["2"], ["20"]]);
  await bob.seesInCell("C1", "kept");
  // What was sent is not sent again by the next page.
  await bob.type("C1", [["bob's"]]);
  await third.seesInCell("C1", "bob's");
  await third.page.close();
  const fourth = new Person(await ann.context.newPage(), ann.context);
  await fourth.page.goto(bob.page.url());
  await fourth.saved();
  await fourth.seesInCell("C1", "bob's");
  await bob.seesInCell("C1", "bob's");
});

test("two tabs of one room are two replicas; the edits of both arrive, also after both were closed", async ({ world }) => {
  const ann = await world.enter();
  const twin = await another(ann);
  await twin.saved();
  const bob = await world.enter();
  await kept(ann.page);
  await world.server.kill();
  await ann.status(/Offline/);
  await twin.status(/Offline/);
  await ann.type("A1", [["first tab"]]);
  await twin.type("A2", [["second tab"]]);
  await ann.status("Offline · 1 change kept on this device, not sent yet");
  await twin.status("Offline · 1 change kept on this device, not sent yet");
  await ann.page.close();
  await twin.page.close();
  await world.server.run();
  await bob.saved();
  await bob.sees("A1", [[""], [""]]);
  // One page opens the room again: it is one of the two and sends for the other.
  const one = new Person(await openIn(ann, bob.page.url()), ann.context);
  await one.saved();
  await bob.sees("A1", [["first tab"], ["second tab"]]);
  await one.sees("A1", [["first tab"], ["second tab"]]);
});

test("a page that opens in the moment in which another closes waits for its unsent edits", async ({ world }) => {
  const ann = await world.enter();
  await kept(ann.page);
  await world.server.kill();
  await ann.status(/Offline/);
  await ann.type("A1", [["kept"]]);
  await ann.status("Offline · 1 change kept on this device, not sent yet");
  // In the place of a page that takes its time to close: its lock, given back when the next page waits for it.
  const closing = await ann.context.newPage();
  await closing.goto(`${world.server.url}/`);
  const isPending = (): Promise<boolean> =>
    closing.evaluate(async () => ((await navigator.locks.query()).pending ?? []).some(({ name }) => name?.startsWith("quadrille:0:")));
  const release = await closing.evaluateHandle(async () => {
    const held = (await navigator.locks.query()).held ?? [];
    const name = held.find((lock) => lock.name?.startsWith("quadrille:0:"))?.name ?? "";
    let giveBack = (): void => undefined;
    const given = new Promise<void>((done) => (giveBack = done));
    void navigator.locks.request(name, () => given);
    return giveBack;
  });
  await expect.poll(isPending).toBe(true);
  const room = ann.page.url();
  await ann.page.close();
  await expect.poll(isPending).toBe(false);
  const opening = openIn(ann, room);
  await expect.poll(isPending, { intervals: [10] }).toBe(true);
  await release.evaluate((giveBack) => giveBack());
  const next = new Person(await opening, ann.context);
  await next.status("Offline · 1 change kept on this device, not sent yet");
  await next.seesInCell("A1", "kept");
});

async function openIn(person: Person, url: string): Promise<Page> {
  const page = await person.context.newPage();
  await page.goto(url);
  return page;
}

/** Edits that are written down in this browser and wait. */
function written(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((done) => {
        const open = indexedDB.open("quadrille");
        open.onsuccess = () => {
          const slots = open.result.transaction("slots").objectStore("slots").getAll();
          slots.onsuccess = () => {
            open.result.close();
            done((slots.result as { unconfirmed: number }[]).reduce((sum, slot) => sum + slot.unconfirmed, 0));
          };
        };
      }),
  );
}

test("an edit whose answer the closed page never saw counts once", async ({ world }) => {
  const bob = await world.enter();
  const ann = await world.enter();
  await ann.type("A1", [["top"], ["below"]]);
  await ann.saved();
  await bob.sees("A1", [["top"], ["below"]]);
  for (let round = 1; round <= 2; round += 1) {
    const tab = new Person(await openIn(ann, bob.page.url()), ann.context);
    await tab.saved();
    await tab.select("A1");
    world.server.pause();
    // An inserted row that were inserted twice would show.
    await tab.press("Control+Alt+=");
    await expect.poll(() => written(tab.page)).toBe(1);
    await tab.page.close();
    world.server.resume();
    const again = new Person(await openIn(ann, bob.page.url()), ann.context);
    await again.saved();
    await again.seesInCell(`A${round + 1}`, "top");
    await again.seesInCell(`A${round + 2}`, "below");
    await bob.seesInCell(`A${round + 2}`, "below");
    await bob.seesInCell(`A${round + 1}`, "top");
    await expect.poll(() => written(again.page)).toBe(0);
    await again.page.close();
  }
});

/** How many pictures this browser keeps. */
function picturesKept(page: Page, cache: "quadrille-pictures" | "quadrille-unsent-pictures"): Promise<number> {
  return page.evaluate(async (name) => ((await caches.has(name)) ? (await (await caches.open(name)).keys()).length : 0), cache);
}

test("images that were seen are there without a server", async ({ world }) => {
  const ann = await world.enter();
  await kept(ann.page);
  await ann.select("C4");
  await give(ann, "paste", { type: "image/png", base64: await picture(ann.page, 60, 40) });
  await expect.poll(() => pixelsOf(ann)).toEqual([60]);
  await ann.saved();
  await expect.poll(() => picturesKept(ann.page, "quadrille-pictures")).toBe(1);
  await world.server.kill();
  // Not the browser's own cache, which may forget at any time.
  const devtools = await ann.context.newCDPSession(ann.page);
  await devtools.send("Network.clearBrowserCache");
  const second = await another(ann);
  await second.status("Offline");
  await expect.poll(() => pixelsOf(second)).toEqual([60]);
});

test("an image that is put in without a server waits on this device, and comes to everybody", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await kept(ann.page);
  // From now on the worker answers for this page, too.
  await expect.poll(() => ann.page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  const base64 = await picture(ann.page, 60, 40);
  await world.server.kill();
  await ann.status(/Offline/);
  await ann.select("C4");
  await give(ann, "paste", { type: "image/png", base64 });
  await expect(ann.page.getByText("The image is stored on this device")).toBeVisible();
  await expect.poll(() => pixelsOf(ann)).toEqual([60]);
  await ann.status("Offline · 1 change kept on this device, not sent yet");
  await ann.page.close();
  const second = await another(ann);
  await expect.poll(() => pixelsOf(second)).toEqual([60]);
  await world.server.run();
  await second.saved();
  await bob.saved();
  await expect.poll(() => picturesKept(second.page, "quadrille-unsent-pictures")).toBe(0);
  await expect.poll(() => pixelsOf(bob)).toEqual([60]);
});

test("the page installs, and the start page opens without a server", async ({ world }) => {
  const ann = await world.enter();
  await kept(ann.page);
  const devtools = await ann.context.newCDPSession(ann.page);
  const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
  expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito")).toEqual([]);
  const { url, errors, data } = await devtools.send("Page.getAppManifest");
  expect(errors).toEqual([]);
  const manifest = JSON.parse(data ?? "") as { name: string; display: string; start_url: string; icons: { src: string; sizes: string; type: string }[] };
  expect(manifest).toMatchObject({ name: "Quadrille", display: "standalone", start_url: "/" });
  // Each icon is an image of the size that it claims.
  for (const { src, sizes, type } of manifest.icons) {
    const found = await ann.page.evaluate(async (address) => {
      const response = await fetch(address);
      const image = new Image();
      image.src = address;
      await image.decode();
      return { type: response.headers.get("content-type"), sizes: `${image.naturalWidth}x${image.naturalHeight}` };
    }, new URL(src, url).href);
    expect(found.type).toBe(type);
    expect(sizes === "any" || sizes === found.sizes, `${src}: ${found.sizes}`).toBe(true);
  }
  expect(manifest.icons.map(({ sizes }) => sizes)).toEqual(expect.arrayContaining(["192x192", "512x512"]));
  await world.server.kill();
  await ann.page.goto(world.server.url);
  await expect(ann.page.getByRole("button", { name: "New workbook" })).toBeVisible();
  await ann.page.goto(`${world.server.url}/never-seen-before`);
  await expect(ann.page.getByRole("heading", { name: "The server cannot be reached" })).toBeVisible();
});
