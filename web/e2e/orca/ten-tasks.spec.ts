/**
 * Everyday tasks with the keyboard alone, by what a screen reader says. It runs with `ORCA=1`, because it
 * needs a desktop that nothing else uses: on busy processors Orca skips what it would say.
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
    await step("cells are read with their references", async () => {
      await orca.press("ctrl+Home");
      await orca.press("Down");
      await orca.hears("Apple A2");
      await orca.press("Right");
      await orca.hears("612 B2");
      await orca.press("Down", "Down");
      await orca.hears("B4");
    });
    await step("a number is entered", async () => {
      await orca.type("12");
      await orca.press("Return");
      await orca.hears("B4 12");
    });
    await step("a formula is entered", async () => {
      await orca.type("=SUM(B2:B4");
      await orca.press("Return");
      await orca.hears("B5 925");
    });
    await step("cells are selected and made bold, and that is undone", async () => {
      await orca.press("ctrl+Home", "shift+Right");
      await orca.hears("A1:B1 selected");
      await orca.press("ctrl+b");
      await orca.hears("Bold on");
      await orca.press("ctrl+z");
      await orca.hears("Undone");
    });
    await step("a cell is reached by its name", async () => {
      await orca.press("ctrl+g");
      await orca.hears("Name box");
      await orca.type("B3");
      await orca.press("Return");
      await orca.hears("301 B3");
    });
    await step("a text is found", async () => {
      await orca.press("ctrl+f");
      await orca.hears("Find and replace", "Find entry");
      await orca.type("Pear");
      await orca.press("Return");
      await orca.hears("1 of 1");
      await orca.press("Escape");
      await orca.hears("Pear A3");
    });
    await step("a command is chosen in a menu", async () => {
      await orca.press("F6", "Tab", "Tab");
      await orca.hears("File");
      await orca.press("Return");
      await orca.hears("File menu");
      await orca.press("Escape", "Escape");
    });
    await step("a comment is written", async () => {
      await orca.press("ctrl+Home", "ctrl+alt+m");
      await orca.hears("Comments");
      await orca.press("Tab", "Tab", "Tab");
      await orca.hears("New comment");
      await orca.type("fresh");
      await orca.press("ctrl+Return", "Escape");
      await orca.hears("Fruit A1");
    });
    await step("a mistake in a formula is corrected", async () => {
      await orca.press("ctrl+Home", "Right", "Right");
      await orca.type("=1+");
      await orca.press("Return");
      await orca.hears("This is not a valid formula.", "Edit again");
      await orca.press("Return");
      await orca.type("2");
      await orca.press("Return");
      await orca.hears("C1 3");
    });
    await step("changes by others and a lost connection are told", async () => {
      await orca.press("ctrl+Home");
      await fetch(`${room}/sheets/Sheet1/cells/A2`, { method: "PUT", headers: { "content-type": "application/json" }, body: '"Plum"' });
      await orca.hears("A2 is now Plum");
      await server.kill();
      await orca.hears("Offline");
      await server.run();
      await orca.hears("Saved");
    });
  } finally {
    await orca.stop();
    await server.stop();
  }
});
