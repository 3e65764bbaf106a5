/**
 * Ten everyday tasks with the keyboard alone, by what a screen reader says. They run with `ORCA=1`, because
 * they need programs that the other tests do not, and processors that are not busy: Orca is silent about what
 * is over before it could ask.
 */

import { test } from "@playwright/test";
import { Server } from "../server.ts";
import { Orca } from "./orca.ts";

test.skip(process.env["ORCA"] === undefined, "runs with ORCA=1");

test("ten tasks are done by what Orca says", async () => {
  test.setTimeout(600_000);
  const server = await Server.start();
  const room = `${server.url}/api/v1/rooms/harvest`;
  await fetch(room, { method: "PUT", headers: { "content-type": "text/csv" }, body: "Fruit,Crates\nApple,612\nPear,301\n" });
  const orca = await Orca.start(`${server.url}/harvest`);
  const { step } = test;
  try {
    await step("1. cells are read", async () => {
      await orca.goTo("B3", "B3 301");
      await orca.press("Up");
      await orca.hears("612");
      await orca.press("Left");
      await orca.hears("Apple");
    });
    await step("2. a number is entered", async () => {
      await orca.goTo("B4", "B4");
      await orca.type("12");
      await orca.press("Return");
      await orca.hears("B4 12");
    });
    await step("3. a formula is entered, and its result is said", async () => {
      await orca.type("=SUM(B2:B4");
      await orca.press("Return");
      await orca.hears("B5 925");
    });
    await step("4. a wrong formula is noticed and replaced", async () => {
      await orca.type("=B5/0");
      await orca.press("Return");
      await orca.hears("B6 #DIV/0!");
      await orca.press("Up");
      await orca.type("=B5/5");
      await orca.press("Return");
      await orca.hears("B6 185");
    });
    await step("5. cells are selected and made bold", async () => {
      await orca.goTo("A1", "A1 Fruit");
      await orca.press("shift+Right");
      await orca.hears("A1:B1 selected");
      await orca.press("ctrl+b");
      await orca.hears("Bold on");
    });
    await step("6. that is undone", async () => {
      await orca.press("ctrl+z");
      await orca.hears("Undone");
    });
    await step("7. a text is found", async () => {
      await orca.press("ctrl+f");
      await orca.hears("Find entry");
      await orca.type("Pear");
      await orca.hears("1 found");
      await orca.press("Return");
      await orca.hears("1 of 1", "A3 Pear");
      await orca.press("Escape");
    });
    await step("8. a sheet is added", async () => {
      await orca.press("shift+F11");
      await orca.hears("Sheet2, A1");
    });
    await step("9. another sheet is opened", async () => {
      await orca.press("alt+Up");
      await orca.hears("Sheet1, A3 Pear");
    });
    await step("10. a comment is written and read", async () => {
      await orca.press("shift+F2");
      await orca.hears("Comments heading");
      await orca.pressUntil("Tab", "New comment");
      await orca.type("Bring ladders");
      await orca.press("ctrl+Return");
      await orca.press("Escape");
      await orca.goTo("A3", "A3 Pear");
      await orca.press("Down");
      await orca.press("Up");
      await orca.hears("has comments");
    });
  } finally {
    await orca.stop();
    await server.stop();
  }
});
