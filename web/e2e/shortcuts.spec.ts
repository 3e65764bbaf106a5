import { expect, test } from "./user.ts";

test("shortcuts of Google Sheets and Excel set formats and borders and add a sheet", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["0.5"]]);
  await ann.select("A1");
  await ann.press("Control+Shift+Digit6");
  await ann.sees("A1", [["5.00E-01"]]);
  await ann.press("Control+Shift+Digit7");
  await ann.saved();
  const room = new URL(ann.page.url()).pathname.slice(1);
  const contents = async (): Promise<string> => (await ann.page.request.get(new URL(`/api/v1/rooms/${room}?format=json`, ann.page.url()).href)).text();
  await expect.poll(contents).toMatch(/"borderTop":\s*\{\s*"style":\s*"thin"/);
  await ann.press("Alt+Shift+Digit6");
  await expect.poll(contents).not.toContain("borderTop");
  await ann.press("Control+s");
  await expect(ann.page.getByText("Every change is saved automatically.")).toBeVisible();
  await ann.press("Shift+F11");
  await expect(ann.page.getByRole("tab", { name: "Sheet2" })).toHaveAttribute("aria-selected", "true");
});
