import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { command } from "./commands.ts";
import { expect, type User, test } from "./user.ts";

test("two users see each other's edits, names and selections", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await expect(ann.page.getByRole("button", { name: "2 people here" })).toBeVisible();
  await ann.page.getByRole("button", { name: "2 people here" }).click();
  await ann.page.getByRole("textbox", { name: "Your name" }).fill("Ann Example");
  await ann.press("Enter", "Escape");
  // Closing returns the focus to the cells asynchronously; wait for it before using the name box.
  await expect(ann.page.getByRole("textbox", { name: "Your name" })).toBeHidden();
  await expect(ann.page.locator(".cell-field")).toBeFocused();
  await ann.type("C3", [["hello"]]);
  await bob.seesInCell("C3", "hello");
  await bob.page.getByRole("button", { name: "2 people here" }).click();
  await expect(bob.page.getByText("Ann Example")).toBeVisible();
  await expect(bob.cell("C4")).toHaveAttribute("aria-description", "Ann Example is here");
  await ann.select("B2:D3");
  await expect(bob.cell("B2")).toHaveAttribute("aria-description", "Ann Example is here");
});

test("concurrent edits of one cell converge", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await Promise.all([ann.select("A1"), bob.select("A1")]);
  await Promise.all([ann.page.keyboard.type("ann"), bob.page.keyboard.type("bob")]);
  await Promise.all([ann.press("Enter"), bob.press("Enter")]);
  await Promise.all([ann.saved(), bob.saved()]);
  await expect(async () => {
    const texts = [await ann.cell("A1").textContent(), await bob.cell("A1").textContent()];
    expect(texts[0]).toBe(texts[1]);
    expect(["ann", "bob"]).toContain(texts[0]);
  }).toPass();
});

test("an edit follows its row when another user inserts above", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["1"], ["2"], ["3"]]);
  await bob.sees("A1", [["1"], ["2"], ["3"]]);
  await bob.context.setOffline(true);
  await bob.status(/Offline/);
  await ann.select("A1");
  await ann.press("Control+Alt+=");
  await bob.type("A3", [["three"]]);
  await bob.context.setOffline(false);
  await bob.saved();
  for (const person of [ann, bob]) {
    await person.sees("A1", [[""], ["1"], ["2"], ["three"]]);
  }
});

test("offline edits are sent after reconnecting", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.context.setOffline(true);
  await ann.status(/Offline/);
  await ann.type("A1", [["one"], ["two"], ["=1+1"]]);
  await ann.status(/Offline · 3 changes stored on this device, not sent yet/);
  await ann.seesInCell("A3", "2");
  for (let row = 1; row <= 20; row += 1) {
    await command(bob.page, { type: "typeText", sheet: 1, cell: `C${row}`, text: String(row) });
  }
  await ann.context.setOffline(false);
  await ann.saved();
  await bob.sees("A1", [["one"], ["two"], ["2"]]);
  await ann.seesInCell("C20", "20");
});

test("no edit is lost when the server is killed and restarted", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["before"]]);
  await ann.saved();
  await world.server.kill();
  await ann.status(/Offline/);
  await ann.type("A2", [["meanwhile"]]);
  await ann.status(/1 change stored on this device, not sent yet/);
  await world.server.run();
  await ann.saved();
  await bob.saved();
  await bob.sees("A1", [["before"], ["meanwhile"]]);
  await bob.type("B1", [["after"]]);
  await ann.seesInCell("B1", "after");
  const cy = await world.enter();
  await cy.sees("A1", [["before", "after"], ["meanwhile"]]);
});

test("selection and cell editor move when another user inserts rows", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["1"], ["2"]]);
  await bob.sees("A1", [["1"], ["2"]]);
  await bob.select("A2");
  await bob.page.keyboard.type("half a wo");
  await ann.select("A1");
  await ann.press("Control+Alt+=");
  await ann.seesInCell("A3", "2");
  await expect(bob.page.getByRole("textbox", { name: /^Name box/ })).toHaveValue("A3");
  await bob.page.keyboard.type("rd");
  await bob.press("Enter");
  await ann.sees("A1", [[""], ["1"], ["half a word"]]);
});

test("five users editing at once converge", async ({ world }) => {
  test.slow();
  const people = await Promise.all(Array.from({ length: 5 }, () => world.enter()));
  const [ann, bob, cy, dee, eve] = people as [User, User, User, User, User];
  await expect(ann.page.getByRole("button", { name: "5 people here" })).toBeVisible();
  await ann.type("A1", [["9"], ["3"], ["7"], ["5"]]);
  for (const person of people) {
    await person.sees("A1", [["9"], ["3"], ["7"], ["5"]]);
  }
  await Promise.all([
    ann.type("B1", [["=A1*2"], ["=A2*2"], ["=A3*2"], ["=A4*2"]]),
    (async () => {
      await bob.select("A2");
      await bob.press("Control+Alt+=");
      await bob.type("D1", [["bob"]]);
    })(),
    (async () => {
      await cy.select("A1:A4");
      await cy.choose("Data", /^Sort…/);
      await cy.page.getByRole("button", { name: "Sort", exact: true }).click();
      await cy.type("E1", [["cy"]]);
    })(),
    (async () => {
      await dee.type("C1", [["one"], ["two"], ["three"]]);
      await dee.press("Control+z");
    })(),
    (async () => {
      await eve.type("A6", [["=SUM(A1:A5)"], ["eve"]]);
      await eve.select("A1:B2");
      await eve.press("Control+b");
    })(),
  ]);
  await Promise.all(people.map((person) => person.saved()));
  const screen = (person: User) => person.page.locator("[role=gridcell]").allTextContents();
  await expect(async () => {
    const [first, ...others] = await Promise.all(people.map(screen));
    // Wherever the inserted row ends up: five cells in A, three in B, two in C, D1 and E1.
    expect(first?.filter((text) => text !== "").length).toBeGreaterThanOrEqual(12);
    for (const other of others) {
      expect(other).toEqual(first);
    }
  }).toPass();
});

test("a large room counts all users and lists those nearby", async ({ world }) => {
  const ann = await world.enter();
  const others = 80;
  // The handshake of the protocol; one browser per user would be too many.
  const hello = [...(await readFile(join(import.meta.dirname, "../../fixtures/protocol/v1/hello.bin")))];
  const welcomed = await ann.page.evaluate(
    async ({ hello, others }) => {
      const address = `${location.origin.replace("http", "ws")}/api/v1/rooms${location.pathname}/socket`;
      const join = (_: unknown, row: number): Promise<WebSocket> =>
        new Promise((done, failed) => {
          const socket = new WebSocket(address);
          socket.binaryType = "arraybuffer";
          socket.addEventListener("open", () => socket.send(new Uint8Array(hello)));
          // After the welcome, each session selects its own cell of the first sheet.
          const welcomed = (): void => {
            socket.send(new Uint8Array([3, 1, row, 2, 0, 0, 0]));
            done(socket);
          };
          socket.addEventListener("message", welcomed, { once: true });
          socket.addEventListener("error", () => failed(new Error("not let in")));
        });
      const sockets = await Promise.all(Array.from({ length: others }, join));
      // All sessions stay open except ten.
      sockets.slice(0, 10).forEach((socket) => socket.close());
      return sockets.length;
    },
    { hello, others },
  );
  expect(welcomed).toBe(others);
  const button = ann.page.getByRole("button", { name: "71 people here" });
  await expect(button).toBeVisible();
  await button.click();
  await expect(ann.page.getByText("71 people are here. These are near you.")).toBeVisible();
  const listed = ann.page.getByRole("button", { name: /^Follow / });
  await expect(listed).toHaveCount(32);
});
