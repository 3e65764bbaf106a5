import { readFile } from "node:fs/promises";
import type { Download, Locator } from "@playwright/test";
import { violations } from "./axe.ts";
import { expect, type User, test } from "./user.ts";

const SALES = [
  ["Month", "North", "South"],
  ["May", "30", "20"],
  ["June", "45", "25"],
  ["July", "50", "40"],
];

/** Accessible description of the chart. */
function drawing(person: User): Locator {
  return person.page.getByRole("figure").locator(".chart-canvas");
}

test("a chart updates when others edit its data", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", SALES);
  await ann.select("B2");
  await ann.page.getByRole("button", { name: "Insert chart" }).click();
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  await expect(panel.getByLabel("Values").first()).toHaveValue("=$B$2:$B$4");
  await expect(panel.getByLabel("Labels").first()).toHaveValue("=$A$2:$A$4");
  await expect(drawing(ann)).toHaveAttribute("aria-label", /^North: May 30, June 45, July 50; South/);
  await expect(drawing(bob)).toHaveAttribute("aria-label", /July 40$/);
  await bob.type("C4", [["77"]]);
  await expect(drawing(ann)).toHaveAttribute("aria-label", /July 77$/);
  await ann.select("A1");
  await ann.press("Control+Alt+=");
  await expect(panel.getByLabel("Values").first()).toHaveValue("=$B$3:$B$5");
  await expect(drawing(bob)).toHaveAttribute("aria-label", /July 77$/);
});

test("a chart asks for its data after changes only", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", SALES);
  await ann.select("A1:C4");
  await ann.choose("Insert$", "Chart");
  await expect(drawing(ann)).toHaveAttribute("aria-label", /July 40$/);
  /** How many times the page asks the engine for the data of charts within a second. */
  const queries = () =>
    ann.page.evaluate(async () => {
      let count = 0;
      const { postMessage } = Worker.prototype;
      Worker.prototype.postMessage = function (this: Worker, message: unknown, ...more: unknown[]) {
        count += JSON.stringify(message).includes("chartSeries") ? 1 : 0;
        return (postMessage as (...given: unknown[]) => void).call(this, message, ...more);
      };
      await new Promise((done) => setTimeout(done, 1_000));
      Worker.prototype.postMessage = postMessage;
      return count;
    });
  await expect.poll(queries).toBe(0);
  const [count] = await Promise.all([queries(), ann.type("B2", [["31"]])]);
  expect(count).toBeGreaterThan(0);
  await expect(drawing(ann)).toHaveAttribute("aria-label", /^North: May 31/);
});

test("a new chart suits its data, and others are suggested", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [
    ["Region", "Month", "Units", "Revenue"],
    ["North", "2026-01-31", "12", "4100"],
    ["South", "2026-01-31", "8", "2950"],
    ["North", "2026-02-28", "15", "5200"],
    ["South", "2026-02-28", "9", "3300"],
  ]);
  await ann.select("A1:D5");
  await ann.choose("Insert$", "Chart");
  // The sums of the two regions for each month.
  await expect(drawing(bob)).toHaveAttribute("aria-label", "Units: 2026-01-31 20, 2026-02-28 24; Revenue: 2026-01-31 7050, 2026-02-28 8500");
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  await expect(panel.getByRole("button", { name: "Combo: Units, Revenue by Month" })).toHaveAttribute("aria-pressed", "true");
  expect(await violations(ann.page)).toEqual([]);
  await panel.getByRole("button", { name: "Combo: Units, Revenue by Region" }).click();
  await expect(drawing(bob)).toHaveAttribute("aria-label", "Units: North 27, South 17; Revenue: North 9300, South 6250");
  await panel.getByLabel("Aggregate").selectOption("Average");
  await expect(drawing(bob)).toHaveAttribute("aria-label", "Units: North 13.5, South 8.5; Revenue: North 4650, South 3125");
  await panel.getByLabel("Aggregate").selectOption("None");
  await expect(drawing(bob)).toHaveAttribute("aria-label", /^Units: North 12, South 8, North 15, South 9; /);
});

test("answers without numbers are counted, and a total is left out", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["Name", "Answer"], ["Ada", "Yes"], ["Ben", "No"], ["Cid", "Yes"], ["Dan", "Yes"]]);
  await ann.select("A1:B5");
  await ann.choose("Insert$", "Chart");
  await expect(drawing(bob)).toHaveAttribute("aria-label", "Answer: Yes 3, No 1");
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  await expect(panel.getByRole("button", { name: "Columns: Count of Answer" })).toHaveAttribute("aria-pressed", "true");
  await panel.getByRole("button", { name: "Pie: Count of Answer" }).click();
  await expect(panel.getByLabel("Type")).toHaveValue("pie");
  await ann.press("Control+z");
  await expect(panel.getByLabel("Type"), "a suggestion is one step to undo").toHaveValue("column");
  await ann.press("Control+z");
  await expect(drawing(bob)).toHaveCount(0);
  await ann.type("D1", [["Fruit", "Crates"], ["Apple", "30"], ["Pear", "50"], ["Plum", "70"], ["Total", "=SUM(E2:E4)"]]);
  await ann.select("D1:E5");
  await ann.choose("Insert$", "Chart");
  await expect(drawing(bob)).toHaveAttribute("aria-label", "Crates: Apple 30, Pear 50, Plum 70");
});

test("a chart omits hidden and filtered rows by default", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", SALES);
  await ann.select("A1:C4");
  await ann.choose("Insert$", "Chart");
  await expect(drawing(bob)).toHaveAttribute("aria-label", /^North: May 30, June 45, July 50; South/);
  await bob.select("A1");
  await bob.choose("Data", /^Filter$/);
  await bob.press("Alt+ArrowDown");
  await bob.page.getByRole("dialog", { name: "Filter" }).getByRole("checkbox", { name: "June" }).uncheck();
  await bob.page.getByRole("dialog", { name: "Filter" }).getByRole("button", { name: "Apply" }).click();
  await expect(drawing(ann)).toHaveAttribute("aria-label", /^North: May 30, July 50; South: May 20, July 40$/);
  await bob.select("A2");
  await bob.press("Control+9");
  await expect(drawing(ann)).toHaveAttribute("aria-label", /^North: July 50; South: July 40$/);
  await ann.page.getByRole("checkbox", { name: "Include hidden/filtered data" }).check();
  await expect(drawing(bob)).toHaveAttribute("aria-label", /^North: May 30, June 45, July 50; South/);
});

test("the chart panel changes a chart for everyone, and undo reverts it", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", SALES);
  await ann.select("A1:C4");
  await ann.choose("Insert$", "Chart");
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  await panel.getByLabel("Type").selectOption("line");
  await panel.getByLabel("Title", { exact: true }).fill("Sold");
  await panel.getByLabel("Title", { exact: true }).press("Enter");
  await expect(bob.page.getByRole("figure", { name: "Chart: Sold" })).toBeVisible();
  await bob.page.getByRole("figure").dblclick();
  await expect(bob.page.getByRole("complementary", { name: "Chart" }).getByLabel("Type")).toHaveValue("line");
  expect(await violations(ann.page)).toEqual([]);
  await panel.getByRole("button", { name: "Delete chart" }).click();
  await expect(bob.page.getByRole("figure")).toHaveCount(0);
  await ann.press("Control+z");
  await expect(bob.page.getByRole("figure", { name: "Chart: Sold" })).toBeVisible();
});

test("the x-axis of a scatter chart has limits and a logarithmic scale, and other charts have none", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["Weight", "Price"], ["1", "5"], ["10", "8"], ["100", "9"]]);
  await ann.select("A1:B4");
  await ann.choose("Insert$", "Chart");
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  // The first one is that of the chart; series of a suggested combo chart have theirs.
  const type = panel.getByLabel("Type").first();
  await type.selectOption("line");
  await expect(panel.getByLabel("Logarithmic x-axis")).toHaveCount(0);
  await type.selectOption("scatter");
  await panel.getByLabel("Logarithmic x-axis").check();
  await panel.getByLabel("Maximum of the x-axis").fill("1000");
  await panel.getByLabel("Maximum of the x-axis").press("Enter");
  expect(await violations(ann.page)).toEqual([]);
  await bob.page.getByRole("figure").dblclick();
  const others = bob.page.getByRole("complementary", { name: "Chart" });
  await expect(others.getByLabel("Logarithmic x-axis")).toBeChecked();
  await expect(others.getByLabel("Maximum of the x-axis")).toHaveValue("1000");
});

/** The file that an entry of the chart's menu downloads. */
async function downloaded(person: User, entry: string): Promise<Download> {
  await person.page.getByRole("button", { name: /^Options of Chart/ }).click();
  const [download] = await Promise.all([person.page.waitForEvent("download"), person.page.getByRole("menuitem", { name: entry }).click()]);
  return download;
}

test("a chart is downloaded as PNG and SVG, also by those who only view", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", SALES);
  await ann.select("A1:C4");
  await ann.choose("Insert$", "Chart");
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  await panel.getByLabel("Title", { exact: true }).fill("Sold: May/June <2026>");
  await panel.getByLabel("Title", { exact: true }).press("Enter");
  await expect(drawing(bob)).toHaveAttribute("aria-label", /July 40$/);
  // Dark on white, whatever the theme.
  await bob.page.emulateMedia({ colorScheme: "dark" });
  await bob.page.getByRole("figure").hover();

  const png = await downloaded(bob, "Download as PNG");
  expect(png.suggestedFilename()).toBe("Sold_ May_June _2026_.png");
  const bytes = await readFile(await png.path());
  // IHDR: twice the size of the chart; then pHYs: 192 pixels per inch.
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([960, 600]);
  expect([bytes.toString("latin1", 37, 41), bytes.readUInt32BE(41), bytes.readUInt8(49)]).toEqual(["pHYs", 7559, 1]);
  const colours = await bob.page.evaluate(async (data) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(data)], { type: "image/png" }));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context?.drawImage(image, 0, 0);
    const pixels = context?.getImageData(0, 0, image.width, image.height).data ?? [];
    const count = (wanted: string): number => {
      let found = 0;
      for (let at = 0; at < pixels.length; at += 4) {
        found += [pixels[at], pixels[at + 1], pixels[at + 2], pixels[at + 3]].join() === wanted ? 1 : 0;
      }
      return found;
    };
    // The first two colours of the palette for light backgrounds.
    return { white: count("255,255,255,255"), north: count("31,122,100,255"), south: count("217,130,43,255"), first: [...pixels.slice(0, 4)] };
  }, [...bytes]);
  expect(colours.first).toEqual([255, 255, 255, 255]);
  expect(colours.white).toBeGreaterThan(300_000);
  // The sums of the columns are 125 and 85.
  expect(colours.north / colours.south).toBeGreaterThan(1.3);
  expect(colours.north / colours.south).toBeLessThan(1.6);

  const svg = await downloaded(bob, "Download as SVG");
  expect(svg.suggestedFilename()).toBe("Sold_ May_June _2026_.svg");
  const text = await readFile(await svg.path(), "utf8");
  // In a page of its own: the content security policy of the client forbids inline styles.
  const viewing = await bob.context.newPage();
  const read = await viewing.evaluate((source) => {
    const image = new DOMParser().parseFromString(source, "image/svg+xml");
    const root = image.documentElement;
    return {
      error: image.querySelector("parsererror")?.textContent,
      size: [root.getAttribute("width"), root.getAttribute("height"), root.getAttribute("viewBox")],
      title: image.querySelector("title")?.textContent,
      background: image.querySelector("rect")?.getAttribute("fill"),
      texts: [...image.querySelectorAll("text")].map((node) => node.textContent),
      fonts: [...image.querySelectorAll("text")].every((node) => node.getAttribute("style")?.includes("Segoe UI")),
      scripts: image.querySelectorAll("script, foreignObject, image").length,
    };
  }, text);
  expect(read).toMatchObject({ size: ["480", "300", "0 0 480 300"], title: "Sold: May/June <2026>", background: "#ffffff", fonts: true, scripts: 0 });
  expect(read.error).toBeUndefined();
  expect(read.texts).toEqual(expect.arrayContaining(["Sold: May/June <2026>", "May", "June", "July", "North", "South"]));

  const viewer = await world.enter();
  await viewer.page.goto(`${viewer.page.url()}?view`);
  await viewer.page.getByRole("figure").click({ button: "right" });
  await expect(viewer.page.getByRole("menuitem", { name: "Edit chart" })).toHaveAttribute("aria-disabled", "true");
  expect(await violations(viewer.page)).toEqual([]);
  await viewer.press("Escape");
  // Firefox gives a second file of one name another name.
  expect((await downloaded(viewer, "Download as PNG")).suggestedFilename()).toMatch(/^Sold_ May_June _2026_(\(1\))?\.png$/);
});

test("the values of a line are shown without its markers", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["Month", "North"], ["May", "37"], ["June", "41.5"], ["July", "43"]]);
  await ann.select("A1:B4");
  await ann.page.getByRole("button", { name: "Insert chart" }).click();
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  await panel.getByLabel("Type").selectOption("line");
  const texts = async (): Promise<(string | undefined)[]> => {
    const svg = await readFile(await (await downloaded(ann, "Download as SVG")).path(), "utf8");
    return [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text);
  };
  expect(await texts()).not.toContain("41.5");
  await panel.getByLabel("Show values").check();
  await expect.poll(texts).toEqual(expect.arrayContaining(["37", "41.5", "43"]));
});

test("an axis shows numbers as its cells do", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["Month", "Share"], ["May", "5%"], ["June", "40%"], ["July", "60%"]]);
  await ann.select("A1:B4");
  await ann.choose("Insert$", "Chart");
  await expect(drawing(ann)).toHaveAttribute("aria-label", /July 60%$/);
  expect(await svgTexts(ann)).toEqual(expect.arrayContaining(["0%", "20%", "40%", "60%"]));
});

test("data labels are the texts of cells and follow them", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["Month", "North", "Note"], ["May", "37", "frost"], ["June", "41.5", ""], ["July", "43", "record"]]);
  await ann.select("A1:B4");
  await ann.choose("Insert$", "Chart");
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  await expect(panel.getByLabel("Data labels")).toHaveCount(0);
  await panel.getByLabel("Show values").check();
  await panel.getByLabel("Data labels").fill("=C2:C4");
  await panel.getByLabel("Data labels").press("Enter");
  await expect.poll(() => svgTexts(bob)).toEqual(expect.arrayContaining(["frost", "record"]));
  expect(await svgTexts(bob)).not.toContain("41.5");
  await expect(drawing(bob)).toHaveAttribute("aria-label", "North: May 37 (frost), June 41.5, July 43 (record)");
  await bob.type("C3", [["rain"]]);
  await expect.poll(() => svgTexts(ann)).toEqual(expect.arrayContaining(["frost", "rain", "record"]));
  expect(await violations(ann.page)).toEqual([]);
  await panel.getByLabel("Data labels").fill("");
  await panel.getByLabel("Data labels").press("Enter");
  await expect.poll(() => svgTexts(bob)).toEqual(expect.arrayContaining(["37", "41.5", "43"]));
});

test("a histogram counts, a box plot has quartiles, and others are drawn by code that is loaded then", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["Score"], ["52"], ["58"], ["61"], ["64"], ["69"], ["71"], ["75"], ["86"]]);
  await ann.select("A1:A9");
  await ann.choose("Insert$", "Chart");
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  await panel.getByLabel("Type").selectOption("Histogram");
  await expect(drawing(bob)).toHaveAttribute("aria-label", "Score: 40–60 2, 60–80 5, 80–100 1");
  await expect(panel.getByLabel("Trendline")).toHaveCount(0);
  await panel.getByLabel("Type").selectOption("Box plot");
  // QUARTILE.EXC of the scores.
  await expect(drawing(bob)).toHaveAttribute("aria-label", "Score: Min 52, Lower quartile 58.75, Median 66.5, Upper quartile 74, Max 86");
  for (const type of ["Waterfall", "Funnel", "Treemap"]) {
    await panel.getByLabel("Type").selectOption(type);
    const svg = await downloaded(bob, "Download as SVG");
    const text = await readFile(await svg.path(), "utf8");
    const texts = [...text.matchAll(/<text[^>]*>([^<]*)</g)].map(([, content]) => content);
    // The points are numbered; a waterfall ends with the sum.
    expect(texts).toEqual(expect.arrayContaining(type === "Waterfall" ? ["1", "8", "Total", "600"] : ["1  52"]));
  }
  expect(await violations(ann.page)).toEqual([]);
});

/** The texts of the chart as an SVG file. */
async function svgTexts(person: User): Promise<(string | undefined)[]> {
  const svg = await readFile(await (await downloaded(person, "Download as SVG")).path(), "utf8");
  return [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text);
}

test("four columns of prices become a candlestick chart", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [
    ["Day", "Open", "High", "Low", "Close"],
    ["2026-03-02", "10", "14", "9", "13"],
    ["2026-03-03", "13", "13.5", "11", "11.5"],
    ["2026-03-04", "11.5", "12.5", "10", "12.5"],
    ["2026-03-05", "12.5", "16", "12", "15.5"],
    ["2026-03-06", "15.5", "15.5", "14", "14.5"],
  ]);
  await ann.select("A1:E6");
  await ann.choose("Insert$", "Chart");
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  await expect(panel.getByLabel("Type")).toHaveValue("stock");
  await expect(panel.getByRole("button", { name: "Candlestick: Open, High, Low, Close by Day" })).toHaveAttribute("aria-pressed", "true");
  await expect(drawing(bob)).toHaveAttribute("aria-label", /^Open: 2026-03-02 10, .*; Close: 2026-03-02 13, .* 2026-03-06 14\.5$/);
  // The axis does not begin at zero.
  const texts = await svgTexts(bob);
  expect(texts).toEqual(expect.arrayContaining(["2026-03-02", "10", "16"]));
  expect(texts).not.toContain("0");
  expect(await violations(ann.page)).toEqual([]);
  // Without the opening prices.
  await panel.getByRole("button", { name: "Remove series 1" }).click();
  await expect(drawing(bob)).toHaveAttribute("aria-label", /^High: /);
  expect(await svgTexts(bob)).toContain("10");
});

test("volumes are drawn below the prices of a candlestick chart", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [
    ["Day", "High", "Low", "Close", "Volume"],
    ["2026-03-02", "14", "9", "13", "5000"],
    ["2026-03-03", "13.5", "11", "11.5", "8000"],
    ["2026-03-04", "12.5", "10", "12.5", "6500"],
    ["2026-03-05", "16", "12", "15.5", "9000"],
    ["2026-03-06", "15.5", "14", "14.5", "4000"],
  ]);
  await ann.select("A1:E6");
  await ann.choose("Insert$", "Chart");
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  await panel.getByRole("button", { name: "Candlestick: Volume, High, Low, Close by Day" }).click();
  await expect(drawing(bob)).toHaveAttribute("aria-label", /^Volume: 2026-03-02 5000, .*; High: .*; Low: .*; Close: /);
  // Both axes have labels, that of the volumes only as far as its columns reach.
  const texts = await svgTexts(bob);
  expect(texts).toEqual(expect.arrayContaining(["2026-03-02", "10", "16"]));
  const volumes = texts.map((text) => Number(text?.replaceAll(",", ""))).filter((number) => number > 1_000);
  expect(volumes.length).toBeGreaterThan(0);
  expect(Math.max(...volumes)).toBeLessThanOrEqual(9_000);
  expect(await violations(ann.page)).toEqual([]);
  // Without the mark, the first of the four series has the opening prices, on the only axis.
  await panel.getByRole("checkbox", { name: "Volumes" }).uncheck();
  await expect.poll(() => svgTexts(bob)).not.toContain("16");
  await panel.getByRole("checkbox", { name: "Volumes" }).check();
  await expect.poll(() => svgTexts(bob)).toContain("16");
});

test("a heat map colours a row for each series, and gauges have bands", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [
    ["Hour", "Mon", "Tue", "Wed", "Thu", "Fri"],
    ["8 h", "12", "8", "15", "4", "19"],
    ["10 h", "30", "22", "27", "18", "44"],
    ["12 h", "45", "51", "", "39", "60"],
    ["14 h", "28", "31", "35", "40", "25"],
    ["16 h", "9", "14", "11", "20", "6"],
    ["18 h", "2", "1", "3", "5", "4"],
  ]);
  await ann.select("A1:F7");
  await ann.choose("Insert$", "Chart");
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  await panel.getByRole("button", { name: "Heat map: Mon, Tue, Wed, Thu, Fri by Hour" }).click();
  await expect(panel.getByLabel("Type")).toHaveValue("heatMap");
  await expect(drawing(bob)).toHaveAttribute("aria-label", /^Mon: 8 h 12, 10 h 30, .*; Fri: 8 h 19, /);
  // The names of rows and columns, and the ends of the scale.
  expect((await svgTexts(bob)).toSorted()).toEqual(["1", "10 h", "12 h", "14 h", "16 h", "18 h", "60", "8 h", "Fri", "Mon", "Thu", "Tue", "Wed"]);
  await panel.getByLabel("Show values").first().check();
  await expect.poll(() => svgTexts(bob)).toEqual(expect.arrayContaining(["12", "30", "45", "28", "9", "2"]));
  expect(await violations(ann.page)).toEqual([]);

  await ann.type("H1", [["Plant", "Load"], ["North", "40"], ["South", "130"]]);
  await ann.select("H1:I3");
  await panel.getByRole("button", { name: "Use the selected cells" }).click();
  await panel.getByLabel("Type").selectOption("Gauge");
  await expect(drawing(bob)).toHaveAttribute("aria-label", "Load: North 40, South 130");
  await expect.poll(() => svgTexts(bob)).toEqual(expect.arrayContaining(["North", "40", "South", "130", "0", "200"]));
  await panel.getByLabel("Maximum value").fill("160");
  await panel.getByLabel("Maximum value").press("Tab");
  for (const band of [1, 2]) {
    await panel.getByRole("button", { name: "Add band" }).click();
    await expect(panel.getByRole("group", { name: `Band ${band}` }).getByLabel("Begins at")).toHaveValue(band === 1 ? "0" : "80");
  }
  await panel.getByRole("group", { name: "Band 2" }).getByLabel("Colour").fill("#ab12cd");
  const svg = async (): Promise<string> => readFile(await (await downloaded(bob, "Download as SVG")).path(), "utf8");
  await expect.poll(svg).toContain('fill="#ab12cd"');
  expect(await svgTexts(bob)).toContain("160");
  expect(await violations(ann.page)).toEqual([]);
  await panel.getByRole("button", { name: "Remove band 2" }).click();
  await expect.poll(svg).not.toContain('fill="#ab12cd"');
});

test("a map colours countries, and names the labels that are none", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [
    ["Country", "Sales"],
    ["France", "30"],
    ["Deutschland", "45"],
    ["ITA", "10"],
    ["Spanien", "25"],
    ["Atlantis", "5"],
  ]);
  await ann.select("A1:B6");
  await ann.choose("Insert$", "Chart");
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  await panel.getByRole("button", { name: "Map: Sales by Country" }).click();
  await expect(panel.getByLabel("Type")).toHaveValue("map");
  await expect(drawing(bob)).toHaveAttribute("aria-label", "Sales: France 30, Deutschland 45, ITA 10, Spanien 25, Atlantis 5; Not on the map: Atlantis");
  // The ends of the scale. The greatest value has the full color.
  await expect.poll(async () => (await svgTexts(bob)).toSorted()).toEqual(["10", "45", "Not on the map: Atlantis"]);
  const svg = async (): Promise<string> => readFile(await (await downloaded(bob, "Download as SVG")).path(), "utf8");
  expect(await svg()).toContain('fill="rgb(31,122,100)"');
  await bob.type("A6", [["Portugal"]]);
  await expect(drawing(ann)).toHaveAttribute("aria-label", /Portugal 5$/);
  await panel.getByLabel("Maximum value").fill("60");
  await panel.getByLabel("Maximum value").press("Tab");
  await expect.poll(async () => (await svgTexts(bob)).toSorted()).toEqual(["5", "60"]);
  await panel.getByLabel("Colour").first().fill("#ab12cd");
  await panel.getByLabel("Maximum value").fill("");
  await panel.getByLabel("Maximum value").press("Tab");
  await expect.poll(svg).toContain('fill="rgb(171,18,205)"');
  const png = await downloaded(bob, "Download as PNG");
  expect((await readFile(await png.path())).length).toBeGreaterThan(5_000);
  expect(await violations(ann.page)).toEqual([]);
});

test("the menu of a chart edits and deletes it, by keys too", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", SALES);
  await ann.select("A1:C4");
  await ann.choose("Insert$", "Chart");
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  await panel.getByRole("button", { name: "Close" }).click();
  await ann.page.getByRole("figure").focus();
  await ann.press("Tab", "Enter");
  const edit = ann.page.getByRole("menuitem", { name: "Edit chart" });
  // The menu gives the focus to its first entry a moment after it has appeared.
  await expect(async () => {
    await ann.press("Home");
    await expect(edit).toBeFocused({ timeout: 500 });
  }).toPass();
  await ann.press("Enter");
  await expect(panel.getByLabel("Type")).toHaveValue("column");
  await ann.page.getByRole("figure").click({ button: "right" });
  await ann.page.getByRole("menuitem", { name: "Delete chart" }).click();
  await expect(bob.page.getByRole("figure")).toHaveCount(0);
  await expect(ann.field).toBeFocused();
});

test("the colour field shows the drawn colour of a series in both themes", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", SALES);
  await ann.select("A1:C4");
  await ann.choose("Insert$", "Chart");
  const colour = (number: number): Locator => ann.page.getByRole("group", { name: `Series ${number}` }).getByLabel("Colour");
  await expect(colour(1)).toHaveValue("#1f7a64");
  await expect(colour(2)).toHaveValue("#d9822b");
  await ann.page.emulateMedia({ colorScheme: "dark" });
  await expect(colour(1)).toHaveValue("#57c2a5");
  await expect(colour(2)).toHaveValue("#f0a65a");
  await colour(2).fill("#ff0000");
  await ann.page.emulateMedia({ colorScheme: "light" });
  await expect(colour(1)).toHaveValue("#1f7a64");
  await expect(colour(2)).toHaveValue("#ff0000");
});

test("on a phone the edited chart is visible above the panel", async ({ world }) => {
  const ann = await world.enter();
  await ann.page.setViewportSize({ width: 390, height: 844 });
  await ann.type("A12", SALES);
  await ann.select("A12:C15");
  await ann.choose("Insert$", "Chart");
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  await expect(panel.getByLabel("Type")).toBeVisible();
  const chart = ann.page.getByRole("figure");
  const isInSight = async (): Promise<boolean> => {
    const [box, cells] = [await chart.boundingBox(), await ann.page.getByRole("main", { name: "Sheet" }).boundingBox()];
    // The top of the chart, if it is taller than the view.
    return box !== null && cells !== null && box.y >= cells.y && (box.y + box.height <= cells.y + cells.height || box.y < cells.y + 40);
  };
  await expect.poll(isInSight).toBe(true);
  await panel.getByRole("button", { name: "Close" }).click();
  await ann.select("A90");
  await expect.poll(isInSight).toBe(false);
});

test("a trendline is added to one series for everyone", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["Month", "North"], ["May", "30"], ["June", "45"], ["July", "48"]]);
  await ann.select("A1:B4");
  await ann.page.getByRole("button", { name: "Insert chart" }).click();
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  // TREND({30;45;48}) is 32, 41, 50.
  await panel.getByLabel("Trendline").selectOption("Linear");
  await expect(drawing(bob)).toHaveAttribute("aria-label", "North: May 30, June 45, July 48; Trendline of North: 32, 50");
  await bob.type("B4", [["54"]]);
  await expect(drawing(ann)).toHaveAttribute("aria-label", /Trendline of North: 31, 55$/);
  await panel.getByLabel("Trendline").selectOption("Moving average");
  await expect(drawing(bob)).toHaveAttribute("aria-label", /Trendline of North: 37.5, 49.5$/);
  expect(await violations(ann.page)).toEqual([]);
  await panel.getByLabel("Stacking").selectOption("Stacked");
  await expect(panel.getByLabel("Trendline")).toHaveCount(0);
  await expect(drawing(bob)).toHaveAttribute("aria-label", "North: May 30, June 45, July 54");
});

test("a trendline has a forecast and a fixed intercept", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["Week", "Crates"], ["first", "3"], ["second", "5"], ["third", "7"]]);
  await ann.select("A1:B4");
  await ann.choose("Insert$", "Chart");
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  await panel.getByLabel("Trendline").selectOption("Linear");
  await panel.getByLabel("Forecast forward (periods)").fill("2");
  await panel.getByLabel("Forecast forward (periods)").press("Enter");
  await panel.getByLabel("Forecast backward (periods)").fill("1");
  await panel.getByLabel("Forecast backward (periods)").press("Tab");
  await expect(drawing(bob)).toHaveAttribute("aria-label", "Crates: first 3, second 5, third 7; Trendline of Crates: 1, 11");
  // The values of numpy.linalg.lstsq without a constant: a slope of 34/14.
  await panel.getByLabel("Set intercept").fill("0");
  await panel.getByLabel("Set intercept").press("Tab");
  await panel.getByLabel("Show equation").check();
  await expect(drawing(bob)).toHaveAttribute("aria-label", "Crates: first 3, second 5, third 7; Trendline of Crates: 0, 12.143, y = 2.4286x");
  expect(await violations(ann.page)).toEqual([]);
  await panel.getByLabel("Trendline").selectOption("Moving average");
  await expect(panel.getByLabel("Forecast forward (periods)")).toHaveCount(0);
});

test("a trendline shows its equation, and error bars are drawn by code that is loaded then", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["Month", "North"], ["May", "30"], ["June", "45"], ["July", "48"]]);
  await ann.select("A1:B4");
  await ann.page.getByRole("button", { name: "Insert chart" }).click();
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  await panel.getByLabel("Trendline").selectOption("Linear");
  await panel.getByLabel("Show equation").check();
  await panel.getByLabel("Show R²").check();
  // LINEST({30;45;48}) is 9 and 23; RSQ({30;45;48},{1;2;3}) is 0.87097.
  await expect(drawing(bob)).toHaveAttribute("aria-label", /Trendline of North: 32, 50, y = 9x \+ 23, R² = 0\.87097$/);
  const without = await drawing(bob).screenshot();
  await panel.getByLabel("Error bars").selectOption("Standard deviation");
  // STDEV.S({30;45;48}) is 9.64365.
  await expect(drawing(bob)).toHaveAttribute("aria-label", /; Error bars of North: ±9\.6437$/);
  await panel.getByLabel("Error bars").selectOption("Constant");
  await panel.getByLabel("Error amount").fill("-2");
  await panel.getByLabel("Error amount").blur();
  await expect(panel.getByLabel("Error amount")).toHaveAttribute("aria-invalid", "true");
  await panel.getByLabel("Error amount").fill("4.5");
  await panel.getByLabel("Error amount").blur();
  await panel.getByLabel("Direction").selectOption("Plus");
  await expect(drawing(bob)).toHaveAttribute("aria-label", /; Error bars of North: \+4\.5$/);
  await expect.poll(async () => (await drawing(bob).screenshot()).equals(without)).toBe(false);
  expect(await violations(ann.page)).toEqual([]);
  await panel.getByLabel("Trendline").selectOption("Polynomial");
  await panel.getByLabel("Polynomial degree").selectOption("3");
  // Three points have no polynomial of degree 3.
  await expect(drawing(bob)).toHaveAttribute("aria-label", "North: May 30, June 45, July 48; Error bars of North: +4.5");
  await panel.getByLabel("Polynomial degree").selectOption("2");
  await expect(drawing(bob)).toHaveAttribute("aria-label", /Trendline of North: 30, 48, y = -6x² \+ 33x \+ 3, R² = 1; /);
});

test("a chart is moved and resized with the mouse and the keyboard", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", SALES);
  await ann.select("A1:C4");
  await ann.page.getByRole("button", { name: "Insert chart" }).click();
  const figure = ann.page.getByRole("figure");
  const box = async (person: User) => {
    const found = await person.page.getByRole("figure").boundingBox();
    return found && { x: Math.round(found.x), y: Math.round(found.y), width: Math.round(found.width) };
  };
  const first = await box(ann);
  if (!first) {
    throw new Error("no chart on the page");
  }
  await ann.page.mouse.move(first.x + 60, first.y + 60);
  await ann.page.mouse.down();
  await ann.page.mouse.move(first.x + 110, first.y + 130, { steps: 4 });
  await ann.page.mouse.up();
  await expect.poll(() => box(bob)).toEqual({ ...first, x: first.x + 50, y: first.y + 70 });
  await expect(ann.page.getByRole("textbox", { name: /^Name box/ }), "the cells below heard nothing").toHaveValue("A1:C4");
  await figure.focus();
  await ann.press("ArrowLeft", "ArrowLeft", "Shift+ArrowRight");
  await expect.poll(() => box(bob)).toEqual({ x: first.x + 30, y: first.y + 70, width: first.width + 10 });
  await ann.press("Delete");
  await expect(bob.page.getByRole("figure")).toHaveCount(0);
});
