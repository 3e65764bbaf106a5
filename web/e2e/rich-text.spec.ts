import { expect, test, type User } from "./user.ts";

/** Cells of an EtherCalc save, with their text formats. */
const SAVE = [
  "version:1.5",
  "cell:A1:t:<b>Plan</b> for <font color=red>May</font>:tvf:1",
  "cell:A2:t:*bold* and _italic_ see http\\c//example.org/page:tvf:2",
  "cell:A3:t:Home<https\\c//example.org/home>:tvf:3",
  // Attacks.
  "cell:A4:t:<img src=http\\c//tracker.example.org/x.png onerror=\"window.attacked=1\">" +
    "<script>window.attacked=1</script><a href=\"javascript\\cwindow.attacked=1\">press</a><svg onload=\"window.attacked=1\">:tvf:1",
  "cell:A5:t:https\\c//tracker.example.org/pixel.png:tvf:4",
  "cell:A6:t:<ul><li>one<li>two</ul>:tvf:1",
  "col:A:w:260",
  "row:6:h:40",
  "sheet:c:1:r:6",
  "valueformat:1:text-html",
  "valueformat:2:text-wiki",
  "valueformat:3:text-link",
  "valueformat:4:text-image",
  "",
].join("\n");

const attacked = (user: User): Promise<unknown> => user.page.evaluate(() => (window as { attacked?: unknown }).attacked);

test("HTML and wiki text are shown with their formats, and nothing in them runs or is loaded", async ({ world }) => {
  const room = "rich-text";
  const put = await fetch(`${world.server.url}/_/${room}`, { method: "PUT", headers: { "content-type": "text/x-socialcalc" }, body: SAVE });
  expect(put.status).toBe(201);
  expect(put.headers.get("quadrille-warnings")).toBeNull();
  const ann = await world.enter(room);
  const foreign: string[] = [];
  ann.page.on("request", (request) => {
    if (!request.url().startsWith(world.server.url) && /^https?:/.test(request.url())) {
      foreign.push(request.url());
    }
  });
  await ann.seesInCell("A1", "Plan for May");
  await ann.seesInCell("A2", "bold and italic see http://example.org/page");
  await ann.seesInCell("A3", "Home");
  await ann.seesInCell("A4", "▣ x.pngpress");
  await ann.seesInCell("A5", "▣ pixel.png");
  await ann.seesInCell("A6", /one/);
  // The text is edited as it was entered.
  await ann.select("A1");
  await ann.formula("<b>Plan</b> for <font color=red>May</font>");
  // A format that somebody sets is shown at once; so is a text of a script as a text.
  await ann.type("B1", [["<i>new</i> <script>window.attacked=1</script>"]]);
  await ann.saved();
  const command = "set B1 textvalueformat text-html";
  const posted = await fetch(`${world.server.url}/_/${room}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ command }),
  });
  expect(posted.status).toBe(202);
  await ann.seesInCell("B1", "new");
  // A link opens in a window of its own that knows nothing of this one.
  await ann.page.context().route("https://example.org/**", (route) => route.fulfill({ body: "<title>Home</title>", contentType: "text/html" }));
  const { x, y } = await ann.point("A3");
  await ann.page.keyboard.down("Control");
  const [opened] = await Promise.all([ann.page.context().waitForEvent("page"), ann.page.mouse.click(x, y)]);
  await ann.page.keyboard.up("Control");
  await opened.waitForURL("https://example.org/home");
  expect(await opened.evaluate(() => window.opener)).toBeNull();
  await opened.close();
  expect(await attacked(ann)).toBeUndefined();
  expect(foreign).toEqual([]);
  const html = await (await fetch(`${world.server.url}/_/${room}/html`)).text();
  expect(html).toContain("<b>Plan</b> for <font color=\"red\">May</font>");
  expect(html).not.toMatch(/onerror|<script|javascript:|<svg/);
});
