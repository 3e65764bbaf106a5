import type { Page } from "@playwright/test";
import { violations } from "./axe.ts";
import { skipInFirefox } from "./skip.ts";
import { expect, newContext, test, type User, type World } from "./user.ts";

/** Makes a table of guests with a form by the dialog, and returns the address of the form. */
async function makeForm(ann: User): Promise<string> {
  await ann.type("A1", [["Name", "Nights", "Mail"], ["Ada", "2", "ada@example.org"]]);
  await ann.select("A1");
  await ann.choose("Insert$", /^Form/);
  const dialog = ann.page.getByRole("dialog", { name: "Forms" });
  await expect(dialog.getByRole("textbox", { name: "Cells" })).toHaveValue("A1:C2");
  await dialog.getByRole("textbox", { name: "Title" }).fill("Guests");
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Create form" }).click();
  const editor = ann.page.getByRole("dialog", { name: "Form" });
  const questions = editor.getByRole("listitem");
  await questions.nth(0).getByRole("checkbox", { name: "Required" }).check();
  await questions.nth(2).getByRole("combobox", { name: "Type" }).selectOption({ label: "Email address" });
  const address = await editor.getByRole("textbox", { name: "Link of the form" }).inputValue();
  expect(await violations(ann.page)).toEqual([]);
  await editor.getByRole("button", { name: "Apply" }).click();
  await ann.page.getByRole("button", { name: "Close", exact: true }).last().click();
  return address;
}

async function openForm(world: World, address: string): Promise<Page> {
  const page = await (await newContext(world.browser)).newPage();
  await page.goto(address);
  return page;
}

test("a form is filled in by keyboard, with errors at their answers, and the row is there for everybody", async ({ world }) => {
  const ann = await world.enter();
  const page = await openForm(world, await makeForm(ann));
  await expect(page.getByRole("heading", { name: "Guests" })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  // The field for programs is skipped.
  await page.keyboard.press("Tab");
  await expect(page.getByRole("textbox", { name: "Name" })).toBeFocused();
  for (const key of ["Tab", "3", "Tab", "b", "o", "b", "Enter"]) {
    await page.keyboard.press(key);
  }
  await expect(page.getByRole("alert")).toHaveText("Some answers need your attention.");
  const name = page.getByRole("textbox", { name: "Name" });
  await expect(name).toBeFocused();
  await expect(name).toHaveAccessibleDescription("Answer this question.");
  await expect(page.getByRole("textbox", { name: "Mail" })).toHaveAccessibleDescription(/Enter an email address/);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.type("=Bob");
  await expect(name).toHaveAccessibleDescription("");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  // Tab selects the text of the field.
  await page.keyboard.press("End");
  await page.keyboard.type("@example.org");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Submit" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("status")).toHaveText("Your response has been recorded.");
  await ann.sees("A3", [["=Bob", "3", "bob@example.org"]]);
  await page.getByRole("link", { name: "Submit another response" }).click();
  await expect(name).toHaveValue("");
  await page.context().close();
});

test("a response without a connection is kept, also over a reload, and recorded once", async ({ world }) => {
  skipInFirefox("Playwright repeats no request with a body in Firefox.");
  const ann = await world.enter();
  const address = await makeForm(ann);
  const page = await openForm(world, address);
  await page.getByRole("textbox", { name: "Name" }).fill("Cy");
  // The server records the response, but its answer does not arrive.
  await page.route("**/responses*", async (route) => {
    await route.fetch();
    await route.abort();
  });
  await page.getByRole("button", { name: "Submit" }).click();
  await expect(page.getByRole("alert")).toHaveText(/^You are offline\. Your response is saved in this browser/);
  await ann.sees("A3", [["Cy", "", ""]]);
  await page.unroute("**/responses*");
  await page.reload();
  await expect(page.getByRole("status")).toHaveText("Your response has been recorded.");
  await page.goto(address);
  await page.getByRole("textbox", { name: "Name" }).fill("Di");
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Submit" }).click();
  await expect(page.getByRole("alert")).toHaveText(/^You are offline/);
  await page.context().setOffline(false);
  await expect(page.getByRole("status")).toHaveText("Your response has been recorded.");
  await ann.sees("A4", [["Di", "", ""], ["", "", ""]]);
  await page.context().close();
});

test("a file is asked for, checked, kept without a connection and downloaded from its cell", async ({ world }) => {
  skipInFirefox("Playwright repeats no request with a body in Firefox.");
  const ann = await world.enter();
  await ann.type("A1", [["Name", "CV"]]);
  await ann.select("A1:B1");
  await ann.choose("Insert$", /^Form/);
  const made = ann.page.getByRole("dialog", { name: "Forms" });
  await made.getByRole("textbox", { name: "Title" }).fill("Jobs");
  await made.getByRole("button", { name: "Create form" }).click();
  const editor = ann.page.getByRole("dialog", { name: "Form" });
  const question = editor.getByRole("listitem").nth(1);
  await question.getByRole("combobox", { name: "Type" }).selectOption({ label: "File" });
  for (const kind of ["Image", "Document", "Spreadsheet", "Presentation", "Text", "Audio", "Video", "Archive"]) {
    await question.getByRole("checkbox", { name: kind }).uncheck();
  }
  await question.getByRole("combobox", { name: "Maximum file size" }).selectOption({ label: "1 MB" });
  await question.getByRole("checkbox", { name: "Required" }).check();
  expect(await violations(ann.page)).toEqual([]);
  // The preview has what is not applied yet.
  await editor.getByRole("button", { name: "Preview" }).click();
  const preview = ann.page.frameLocator("iframe.forms-preview");
  await expect(preview.getByRole("heading", { name: "Jobs" })).toBeVisible();
  await expect(preview.getByText("PDF · At most 1 MB")).toBeVisible();
  await ann.page.getByRole("dialog", { name: "Preview" }).getByRole("button", { name: "Close" }).last().click();
  const address = await editor.getByRole("textbox", { name: "Link of the form" }).inputValue();
  await editor.getByRole("button", { name: "Apply" }).click();

  const page = await openForm(world, address);
  const file = page.getByLabel("CV");
  await expect(file).toHaveAccessibleDescription("PDF · At most 1 MB");
  expect(await violations(page)).toEqual([]);
  await page.getByRole("textbox", { name: "Name" }).fill("Ada");
  await page.getByRole("button", { name: "Submit" }).click();
  await expect(file).toHaveAccessibleDescription("PDF · At most 1 MB Answer this question.");
  await file.setInputFiles({ name: "cv.exe", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7") });
  await expect(file).toHaveAccessibleDescription(/Choose a file of one of these types: PDF\.$/);
  await file.setInputFiles({ name: "cv.pdf", mimeType: "application/pdf", buffer: Buffer.alloc(1_048_577) });
  await expect(file).toHaveAccessibleDescription(/Choose a file of at most 1 MB\.$/);
  await file.setInputFiles({ name: "cv.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7 Ada") });
  await expect(file).toHaveAccessibleDescription("PDF · At most 1 MB");
  // The answer of the server does not arrive; the file is kept over a reload and recorded once.
  await page.route("**/responses*", async (route) => {
    await route.fetch();
    await route.abort();
  });
  await page.getByRole("button", { name: "Submit" }).click();
  await expect(page.getByRole("alert")).toHaveText(/^You are offline/);
  await page.unroute("**/responses*");
  await page.reload();
  await expect(page.getByRole("status")).toHaveText("Your response has been recorded.");
  await ann.page.getByRole("button", { name: "Close", exact: true }).last().click();
  await ann.sees("A2", [["Ada", "cv.pdf"], ["", ""]]);
  const at = await ann.point("B2");
  const downloading = ann.page.waitForEvent("download");
  await ann.page.keyboard.down("Control");
  await ann.page.mouse.click(at.x, at.y);
  await ann.page.keyboard.up("Control");
  expect((await downloading).suggestedFilename()).toBe("cv.pdf");
  await page.context().close();
});

test("the link of a form is revoked after a confirmation", async ({ world }) => {
  const ann = await world.enter();
  const address = await makeForm(ann);
  await ann.choose("Insert$", /^Form/);
  await ann.page.getByRole("button", { name: "Edit Guests" }).click();
  const editor = ann.page.getByRole("dialog", { name: "Form" });
  await editor.getByRole("button", { name: "Revoke link…" }).click();
  await expect(editor.getByRole("alert")).toHaveText("The link that people have stops working.");
  await expect(editor.getByRole("button", { name: "Cancel" })).toBeFocused();
  await editor.getByRole("button", { name: "Revoke link", exact: true }).click();
  await expect(editor.getByText("The link is revoked. Create a new one to receive responses.")).toBeVisible();
  const page = await openForm(world, address);
  await expect(page.getByRole("heading", { name: "This form does not exist." })).toBeVisible();
  await page.context().close();
});
