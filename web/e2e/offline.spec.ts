import type { Page } from "@playwright/test";
import { skipOutsideChromium } from "./skip.ts";
import { give, picture, pixelsOf } from "./image-files.ts";
import { expect, User, test } from "./user.ts";

test.use({ serviceWorkers: "allow" });

/** Waits until the service worker has cached the files. */
async function serviceWorkerReady(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await expect
    .poll(() => page.evaluate(async () => (await caches.match("/index.html")) !== undefined))
    .toBe(true);
}

async function another(person: User): Promise<User> {
  const page = await person.context.newPage();
  await page.goto(person.page.url());
  const again = new User(page, person.context);
  await again.seesInCell("A1", /.*/);
  return again;
}

test("a known workbook opens offline, and edits of a closed tab are sent once", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["1"], ["=A1*10"]]);
  await ann.saved();
  await serviceWorkerReady(ann.page);
  await ann.select("B1");
  await world.server.kill();
  await ann.status(/Offline/);

  // A new tab opens the stored replica.
  const second = await another(ann);
  await ann.page.close();
  await second.status("Offline");
  await second.sees("A1", [["1"], ["10"]]);
  await second.type("A1", [["2"]]);
  await second.type("C1", [["kept"]]);
  await second.status("Offline · 2 changes stored on this device, not sent yet");
  await second.page.close();

  // After reopening, the edits are there in order and can be undone.
  const third = new User(await ann.context.newPage(), ann.context);
  await third.page.goto(`${world.server.url}/${new URL(bob.page.url()).pathname.slice(1)}`);
  await third.seesInCell("C1", "kept");
  await third.sees("A1", [["2"], ["20"]]);
  await third.status("Offline · 2 changes stored on this device, not sent yet");
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
  // The next page does not send acknowledged edits again.
  await bob.type("C1", [["bob's"]]);
  await third.seesInCell("C1", "bob's");
  await third.page.close();
  const fourth = new User(await ann.context.newPage(), ann.context);
  await fourth.page.goto(bob.page.url());
  await fourth.saved();
  await fourth.seesInCell("C1", "bob's");
  await bob.seesInCell("C1", "bob's");
});

test("two tabs of one room are two replicas, and the edits of both arrive after closing", async ({ world }) => {
  const ann = await world.enter();
  const twin = await another(ann);
  await twin.saved();
  const bob = await world.enter();
  await serviceWorkerReady(ann.page);
  await world.server.kill();
  await ann.status(/Offline/);
  await twin.status(/Offline/);
  await ann.type("A1", [["first tab"]]);
  await twin.type("A2", [["second tab"]]);
  await ann.status("Offline · 1 change stored on this device, not sent yet");
  await twin.status("Offline · 1 change stored on this device, not sent yet");
  await ann.page.close();
  await twin.page.close();
  await world.server.run();
  await bob.saved();
  await bob.sees("A1", [[""], [""]]);
  // One page reopens the room: it takes over one replica and sends the edits of the other.
  const one = new User(await openIn(ann, bob.page.url()), ann.context);
  await one.saved();
  await bob.sees("A1", [["first tab"], ["second tab"]]);
  await one.sees("A1", [["first tab"], ["second tab"]]);
});

test("a page waits for the unsent edits of a closing page", async ({ world }) => {
  const ann = await world.enter();
  await serviceWorkerReady(ann.page);
  await world.server.kill();
  await ann.status(/Offline/);
  await ann.type("A1", [["kept"]]);
  await ann.status("Offline · 1 change stored on this device, not sent yet");
  // Simulates a page that closes slowly by holding its lock until the next page waits for it.
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
  const next = new User(await opening, ann.context);
  await next.status("Offline · 1 change stored on this device, not sent yet");
  await next.seesInCell("A1", "kept");
});

async function openIn(person: User, url: string): Promise<Page> {
  const page = await person.context.newPage();
  await page.goto(url);
  return page;
}

/** Number of stored edits that were not acknowledged. */
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

test("an edit whose acknowledgement was lost is applied once", async ({ world }) => {
  const bob = await world.enter();
  const ann = await world.enter();
  await ann.type("A1", [["top"], ["below"]]);
  await ann.saved();
  await bob.sees("A1", [["top"], ["below"]]);
  for (let round = 1; round <= 2; round += 1) {
    const tab = new User(await openIn(ann, bob.page.url()), ann.context);
    await tab.saved();
    await tab.select("A1");
    world.server.pause();
    // A row inserted twice would be visible.
    await tab.press("Control+Alt+=");
    await expect.poll(() => written(tab.page)).toBe(1);
    await tab.page.close();
    world.server.resume();
    const again = new User(await openIn(ann, bob.page.url()), ann.context);
    await again.saved();
    await again.seesInCell(`A${round + 1}`, "top");
    await again.seesInCell(`A${round + 2}`, "below");
    await bob.seesInCell(`A${round + 2}`, "below");
    await bob.seesInCell(`A${round + 1}`, "top");
    await expect.poll(() => written(again.page)).toBe(0);
    await again.page.close();
  }
});

/** Number of images cached in this browser. */
function picturesKept(page: Page, cache: "quadrille-pictures" | "quadrille-unsent-pictures"): Promise<number> {
  return page.evaluate(async (name) => ((await caches.has(name)) ? (await (await caches.open(name)).keys()).length : 0), cache);
}

test("viewed images are available offline", async ({ world }) => {
  skipOutsideChromium("Only Chromium has the DevTools protocol.");
  const ann = await world.enter();
  await serviceWorkerReady(ann.page);
  await ann.select("C4");
  await give(ann, "paste", { type: "image/png", base64: await picture(ann.page, 60, 40) });
  await expect.poll(() => pixelsOf(ann)).toEqual([60]);
  await ann.saved();
  await expect.poll(() => picturesKept(ann.page, "quadrille-pictures")).toBe(1);
  await world.server.kill();
  // Clears the HTTP cache, which may evict entries at any time.
  const devtools = await ann.context.newCDPSession(ann.page);
  await devtools.send("Network.clearBrowserCache");
  const second = await another(ann);
  await second.status("Offline");
  await expect.poll(() => pixelsOf(second)).toEqual([60]);
});

test("an image inserted offline is uploaded after reconnecting", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await serviceWorkerReady(ann.page);
  // From now on the service worker handles the requests of this page.
  await expect.poll(() => ann.page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  const base64 = await picture(ann.page, 60, 40);
  await world.server.kill();
  await ann.status(/Offline/);
  await ann.select("C4");
  await give(ann, "paste", { type: "image/png", base64 });
  await expect(ann.page.getByText("The image is stored on this device")).toBeVisible();
  await expect.poll(() => pixelsOf(ann)).toEqual([60]);
  await ann.status("Offline · 1 change stored on this device, not sent yet");
  await ann.page.close();
  const second = await another(ann);
  await expect.poll(() => pixelsOf(second)).toEqual([60]);
  await world.server.run();
  await second.saved();
  await bob.saved();
  await expect.poll(() => picturesKept(second.page, "quadrille-unsent-pictures")).toBe(0);
  await expect.poll(() => pixelsOf(bob)).toEqual([60]);
});

test("the app can be installed, and the start page opens offline", async ({ world }) => {
  skipOutsideChromium("Only Chromium has the DevTools protocol.");
  const ann = await world.enter();
  await serviceWorkerReady(ann.page);
  const devtools = await ann.context.newCDPSession(ann.page);
  const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
  expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito")).toEqual([]);
  const { url, errors, data } = await devtools.send("Page.getAppManifest");
  expect(errors).toEqual([]);
  const manifest = JSON.parse(data ?? "") as { name: string; display: string; start_url: string; icons: { src: string; sizes: string; type: string }[] };
  expect(manifest).toMatchObject({ name: "Quadrille", display: "standalone", start_url: "/" });
  // Each icon has the declared size.
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

test("a change that the server does not save shows as waiting, and is saved when it can be", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["1"]]);
  await ann.saved();
  await world.server.paused(async () => {
    await ann.type("A2", [["2"]]);
    await ann.status("Saving…");
    await ann.status("Waiting for the server · 1 change not saved yet");
    await ann.type("A3", [["3"]]);
    await ann.status("Waiting for the server · 2 changes not saved yet");
  });
  await ann.saved();
  await ann.sees("A1", [["1"], ["2"], ["3"]]);
});
