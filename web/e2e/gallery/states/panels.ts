/** Panels beside the sheet. */

import { item } from "../example-sheets.ts";
import type { GalleryPage } from "../gallery-page.ts";
import type { State } from "../state.ts";

const CRATES = "Fruit,Crates,Last year\nApple,612,580\nPear,301,310\nPlum,174,90\nQuince,66,71\n";
/** Dates, texts with a blank cell, and numbers. */
const SALES = "Day,Region,Crates\n2024-01-15,East,612\n2024-02-20,West,301\n2024-02-25,East,174\n2024-04-01,,66\n";

/** Suggestions of two people for the sheet of crates. */
async function addSuggestions(gallery: GalleryPage): Promise<void> {
  const time = Date.UTC(2026, 10, 20, 9, 30);
  await gallery.add((sheet) => [
    item(sheet, "suggestion", ["B2"], { value: "640", text: "As invoiced in October.", author: "Ada", time }),
    item(sheet, "suggestion", ["B5"], { formula: "=ROUND(C5*1.1,0)", author: "Grace", time }),
    item(sheet, "suggestion", ["A4"], { value: "Damson", author: "Grace", time }),
    item(sheet, "suggestion", ["C3"], { author: "Ada", time }),
  ]);
}

/** A task of the person whose page is shown, with reactions, by somebody else. */
async function addTask(gallery: GalleryPage): Promise<void> {
  const time = Date.UTC(2026, 10, 20, 9, 30);
  const me = await gallery.page.evaluate(() => (JSON.parse(localStorage.getItem("quadrille.identity") ?? "{}") as { name?: string }).name ?? "");
  await gallery.add((sheet) => [
    item(sheet, "commentThread", ["B1"], { author: "Ada", time, assignee: me, assignedBy: "Ada", edited: time }, 900),
    item(sheet, "comment", [], { parent: 900, text: `@${me} Does this count the crates that were lent?`, author: "Ada", time, mentions: [me] }, 901),
    item(sheet, "comment", [], { parent: 900, text: "Only those of October.", author: me, time: time + 1 }, 902),
    item(sheet, "comment", [], { parent: 900, text: "Then please add September.", author: "Grace", time: time + 2 }, 903),
    item(sheet, "reaction", [], { parent: 901, text: "👀", author: me, time: time + 3 }, 904),
    item(sheet, "reaction", [], { parent: 902, text: "👍", author: "Ada", time: time + 3 }, 905),
    item(sheet, "reaction", [], { parent: 902, text: "👍", author: "Grace", time: time + 4 }, 906),
    item(sheet, "reaction", [], { parent: 902, text: "🎉", author: "Grace", time: time + 5 }, 907),
  ]);
}

export const panels: readonly State[] = [
  {
    name: "find",
    show: async (gallery) => {
      await gallery.select("A1");
      await gallery.press("Control+f");
      await gallery.page.locator(".find input").first().fill("apple");
      await gallery.page.waitForTimeout(400);
    },
  },
  {
    name: "find-replace-none",
    show: async (gallery) => {
      await gallery.select("A1");
      await gallery.press("Control+h");
      await gallery.page.locator(".find input").first().fill("pineapple");
      await gallery.page.waitForTimeout(400);
    },
  },
  {
    name: "find-bad-pattern",
    show: async (gallery) => {
      await gallery.select("A1");
      await gallery.press("Control+f");
      await gallery.page.locator(".find .check input").nth(2).check();
      await gallery.page.locator(".find input").first().fill("(a");
      await gallery.page.locator(".find [aria-invalid=true]").waitFor();
    },
  },
  {
    name: "panel-statistics",
    show: async (gallery) => {
      await gallery.select("D3");
      await gallery.choose("Data", "Column statistics");
      await gallery.page.locator(".statistics-bars").first().waitFor();
    },
  },
  {
    name: "panel-comments",
    show: async (gallery) => {
      await gallery.select("F6");
      await gallery.press("Control+Alt+m");
      await gallery.page.locator(".threads li").first().waitFor();
    },
  },
  {
    name: "panel-note",
    show: async (gallery) => {
      await gallery.select("B7");
      await gallery.press("Control+Alt+m");
      await gallery.page.locator(".panel .note").waitFor();
    },
  },
  {
    name: "panel-comments-none",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("1,2");
      await gallery.press("Control+Alt+m");
      await gallery.page.locator(".panel").waitFor();
    },
  },
  {
    name: "panel-suggestions",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom(CRATES);
      await addSuggestions(gallery);
      await gallery.choose("View", "Suggestions|of edits");
      await gallery.page.locator(".suggestion ins").first().waitFor();
    },
  },
  {
    name: "panel-suggestions-none",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("1,2");
      await gallery.choose("View", "Suggestions|of edits");
      await gallery.page.locator(".panel-note").waitFor();
    },
  },
  {
    name: "suggestion-card",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom(CRATES);
      await addSuggestions(gallery);
      await gallery.choose("View", "Suggest edits");
      await gallery.select("B2");
      await gallery.page.locator(".suggestion-card ins").waitFor();
    },
  },
  {
    name: "panel-comments-tasks",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("1,2");
      await addTask(gallery);
      await gallery.press("Control+Alt+m");
      await gallery.page.locator(".thread-task").waitFor();
    },
  },
  {
    name: "panel-notifications",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("1,2");
      await addTask(gallery);
      await gallery.page.locator(".notification-button .unread-count").waitFor();
      await gallery.page.locator(".notification-button").click();
      await gallery.page.locator(".notification").first().waitFor();
    },
  },
  {
    name: "panel-comments-resolved",
    skipsReset: true,
    show: async (gallery) => {
      const room = await gallery.ownRoom("1,2");
      const time = Date.UTC(2026, 10, 20, 9, 30);
      await gallery.add((sheet) => [
        item(sheet, "commentThread", ["B1"], { author: "Ada", time, resolved: true, resolvedBy: "Grace" }, 900),
        item(sheet, "comment", [], { parent: 900, text: "Does this count the crates that were lent?", author: "Ada", time }),
      ]);
      await gallery.meet({ name: "Grace", color: 0xb3541e, cells: "A1" }, room);
      await gallery.press("Control+Alt+m");
      await gallery.page.locator(".panel .check input").check();
      await gallery.page.locator(".thread.is-resolved").waitFor();
      await gallery.page.locator(".comment-form textarea").first().fill("Please look at this, @G");
      await gallery.page.locator(".mention-list button").waitFor();
    },
  },
  {
    name: "panel-history",
    show: async (gallery) => {
      await gallery.choose("File", "History");
      await gallery.page.locator(".panel li").first().waitFor();
    },
  },
  {
    name: "panel-history-revision",
    show: async (gallery) => {
      await gallery.choose("File", "History");
      await gallery.page.locator(".panel li button:not(.tool)").last().click();
      await gallery.page.getByRole("dialog").locator("td").first().waitFor();
      // Its name comes a moment after its content.
      await gallery.page.getByRole("dialog", { name: /./ }).waitFor();
    },
  },
  {
    name: "dialog-compare-versions",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("Region,Units\nNorth,5\nSouth,3\nSum,=SUM(B2:B3)");
      await gallery.select("A2");
      await gallery.press("Control+Alt+=");
      for (const text of ["West", "4"]) {
        await gallery.type(text);
        await gallery.press("Tab");
      }
      await gallery.select("B4");
      await gallery.type("8");
      await gallery.press("Enter");
      await gallery.saved();
      await gallery.choose("File", "History");
      await gallery.page.locator(".history-entry > .tool").first().click();
      await gallery.page.getByRole("menuitem").first().click();
      await gallery.page.locator(".compare-panes:not(.is-loading) td.has-other-content").first().waitFor();
      await gallery.page.locator(".compare-steps button").last().click();
    },
  },
  {
    name: "dialog-undo-changes",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("1,2");
      await gallery.select("A1");
      await gallery.type("3");
      await gallery.press("Enter");
      await gallery.saved();
      await gallery.choose("File", "History");
      await gallery.page.locator(".history-entry > .tool").first().click();
      await gallery.page.getByRole("menuitem").nth(1).click();
      await gallery.page.locator(".undo-changes li").first().waitFor();
    },
  },
  {
    name: "panel-history-named",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("1,2");
      for (const name of ["Budget 2026", "Sent to the printer"]) {
        await gallery.choose("File", "Name current version…");
        await gallery.page.getByRole("dialog").getByRole("textbox").fill(name);
        await gallery.press("Enter");
        await gallery.page.getByRole("dialog").waitFor({ state: "detached" });
      }
      await gallery.choose("File", "History");
      await gallery.page.locator(".history-named input").check();
      await gallery.page.locator(".history .version-name").nth(1).waitFor();
    },
  },
  {
    name: "panel-history-of-cell",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("1,2");
      await gallery.select("A1");
      await gallery.type("3");
      await gallery.press("Enter");
      await gallery.saved();
      await gallery.select("A1");
      await gallery.choose("File", "History");
      await gallery.page.locator(".history-scope button").last().click();
      await gallery.page.locator(".history-entry").first().waitFor();
    },
  },
  {
    name: "panel-history-unreachable",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("1,2");
      await gallery.context.setOffline(true);
      await gallery.choose("File", "History");
      await gallery.page.locator(".panel [role=alert]").waitFor();
    },
  },
  {
    name: "panel-history-none",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("");
      await gallery.choose("File", "History");
      await gallery.page.locator(".panel").waitFor();
      await gallery.page.waitForTimeout(300);
    },
  },
  {
    name: "panel-chat-none",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("1,2");
      await gallery.choose("View", "Chat");
      await gallery.page.locator(".panel textarea").waitFor();
    },
  },
  {
    name: "panel-chat",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("1,2");
      await gallery.choose("View", "Chat");
      const field = gallery.page.locator(".panel textarea");
      for (const [index, text] of ["Who has been at the old wall?", "I was, see A1:B1. The quinces can wait for another week."].entries()) {
        await field.fill(text);
        await field.press("Enter");
        await gallery.page.locator(".chat-message:not(.is-unsent)").nth(index).waitFor();
      }
    },
  },
  {
    name: "panel-chat-unsent",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("1,2");
      await gallery.choose("View", "Chat");
      await gallery.page.locator(".panel .panel-note").waitFor();
      await gallery.context.setOffline(true);
      await gallery.page.locator(".save-state .is-warning").waitFor();
      const field = gallery.page.locator(".panel textarea");
      await field.fill("Can you read this?");
      await field.press("Enter");
      await gallery.page.locator(".chat-message.is-unsent").waitFor();
    },
  },
  {
    name: "panel-chat-refused",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("1,2");
      await gallery.choose("View", "Chat");
      // Exceeds the rate limit of ten messages at once and one per second.
      await gallery.page.locator(".chat-form").evaluate((form: HTMLFormElement) => {
        const field = form.querySelector("textarea");
        for (let at = 1; at <= 12 && field; at += 1) {
          field.value = `${at}`;
          field.dispatchEvent(new InputEvent("input", { bubbles: true }));
          form.requestSubmit();
        }
      });
      await gallery.page.locator(".chat-rejected").waitFor();
    },
  },
  {
    name: "chat-unread",
    skipsReset: true,
    show: async (gallery) => {
      const room = await gallery.ownRoom("1,2");
      const other = await gallery.meet({ name: "Ada", color: 0x9b2c6f, cells: "B1" }, room);
      await other.getByRole("button", { name: "Chat" }).click();
      const field = other.locator(".panel textarea");
      await field.fill("Are you there?");
      await field.press("Enter");
      await gallery.page.locator(".unread-count").waitFor();
    },
  },
  {
    name: "panel-pivot-table",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("Region,Fruit,Crates\nEast,Apple,612\nWest,Apple,301\nEast,Pear,174\nWest,Plum,66\n");
      await gallery.add((sheet) => [
        item(sheet, "pivotTable", ["A8"], {
          source: "=$A$1:$C$5",
          rows: [{ column: "=$A:$A" }],
          columns: [{ column: "=$B:$B" }],
          values: [{ column: "=$C:$C", function: "sum" }],
          filters: [{ column: "=$B:$B" }],
        }),
      ]);
      await gallery.select("A9");
      await gallery.choose("Insert", "Pivot table");
      await gallery.page.locator(".pivot-field").nth(3).waitFor();
    },
  },
  {
    name: "panel-pivot-table-calculated",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("Region,Revenue,Units sold\nEast,612,34\nWest,301,7\nEast,174,11\nWest,66,6\n");
      await gallery.add((sheet) => [
        item(sheet, "pivotTable", ["A8"], {
          source: "=$A$1:$C$5",
          rows: [{ column: "=$A:$A" }],
          values: [{ name: "Price", formula: "=$B:$B/$C:$C", numberFormat: "0.00" }],
        }),
      ]);
      await gallery.select("A9");
      await gallery.choose("Insert", "Pivot table");
      const formula = gallery.page.locator(".pivot-field input[aria-invalid]");
      await formula.fill("=Revenue/Boxes");
      await formula.press("Enter");
      await gallery.page.locator(".pivot-problem").waitFor();
    },
  },
  {
    name: "panel-pivot-table-groups",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("Region,Fruit,Crates\nEast,Apple,612\nWest,Apple,301\nNorth,Pear,174\nSouth,Plum,66\n");
      const groups = [{ name: "Coast", values: ["East", "West"] }, { name: "Hills and valleys", values: ["North"] }];
      await gallery.add((sheet) => [
        item(sheet, "pivotTable", ["A8"], {
          source: "=$A$1:$C$5",
          rows: [{ column: "=$A:$A", name: "Region2", groups }, { column: "=$A:$A" }],
          values: [{ column: "=$C:$C", function: "sum" }],
        }),
      ]);
      await gallery.select("A9");
      await gallery.choose("Insert", "Pivot table");
      await gallery.page.locator(".pivot-group").nth(1).waitFor();
    },
  },
  {
    name: "panel-pivot-table-new",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom(CRATES);
      await gallery.select("B2");
      await gallery.choose("Insert", "Pivot table");
      await gallery.page.locator(".pivot-part").nth(3).waitFor();
    },
  },
  {
    name: "panel-slicer",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom(SALES);
      await gallery.add((sheet) => [
        item(sheet, "autoFilter", ["A1:C5"], {}),
        item(sheet, "slicer", ["A1"], { column: "=$A$1:$A$5", type: "dates", width: 330, height: 144, offsetX: 8, offsetY: 150 }),
        item(sheet, "slicer", ["D1"], { column: "=$B$1:$B$5", width: 150, height: 190, offsetX: 12, offsetY: 6 }),
      ]);
      const values = gallery.page.locator(".slicer-value");
      await values.nth(2).dispatchEvent("click");
      await gallery.page.locator(".timeline button").first().waitFor();
      await gallery.page.locator(".drawing-frame:has(.slicer-values)").focus();
      await gallery.press("Enter");
      await gallery.page.locator(".panel").waitFor();
      await gallery.page.waitForTimeout(400);
    },
  },
  {
    name: "panel-clean-up",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("town,guests\nBergen,4\n  Oslo,3\nBergen,5\nBergen,7\nBregen,9\nBergen,7\n");
      await gallery.select("A2");
      await gallery.choose("Data", "Clean-up suggestions");
      await gallery.page.locator(".clean-up h3").nth(2).waitFor();
    },
  },
  {
    name: "panel-watch",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("2,3,=A1*B1\n4,,=A1/B2\n");
      await gallery.select("B1:C2");
      await gallery.choose("Data", "Watch window");
      await gallery.page.locator(".panel .button.is-main").click();
      await gallery.page.locator(".watched-cell").nth(3).waitFor();
      await gallery.page.waitForTimeout(300);
    },
  },
  {
    name: "slicer-without-filter",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom(SALES);
      await gallery.add((sheet) => [item(sheet, "slicer", ["B2"], { column: "=$A$1:$A$5" })]);
      await gallery.page.locator(".slicer-note").waitFor();
    },
  },
  {
    name: "panel-chart-none",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom(CRATES);
      await gallery.button("Insert chart").click();
      await gallery.page.locator(".chart-canvas canvas, .chart-canvas svg").first().waitFor();
      await gallery.page.locator(".drawing-frame").focus();
      await gallery.press("Escape");
      await gallery.page.locator(".panel .button.is-main").waitFor();
    },
  },
  {
    name: "panel-chart",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom(CRATES);
      await gallery.button("Insert chart").click();
      await gallery.page.locator(".chart-canvas canvas, .chart-canvas svg").first().waitFor();
      await gallery.page.waitForTimeout(900);
    },
  },
  {
    name: "panel-chart-gauge",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("Plant,Load\nNorth,40\nSouth,72");
      await gallery.button("Insert chart").click();
      await gallery.page.getByRole("complementary").locator("select").first().selectOption("gauge");
      // The first one adds a series, the second one a band.
      const add = gallery.page.locator(".panel .button.is-quiet").nth(1);
      await add.click();
      await add.click();
      await gallery.page.locator(".panel fieldset").last().scrollIntoViewIfNeeded();
      await gallery.page.waitForTimeout(900);
    },
  },
  {
    name: "chart",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom(CRATES);
      await gallery.button("Insert chart").click();
      await gallery.page.locator(".chart-canvas canvas, .chart-canvas svg").first().waitFor();
      await gallery.page.locator(".panel-header .tool").last().click();
      await gallery.page.waitForTimeout(900);
    },
  },
  {
    name: "menu-chart",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom(CRATES);
      await gallery.button("Insert chart").click();
      await gallery.page.locator(".chart-canvas canvas, .chart-canvas svg").first().waitFor();
      await gallery.page.locator(".panel-header .tool").last().click();
      await gallery.page.waitForTimeout(900);
      await gallery.page.locator(".drawing-menu").click();
      await gallery.page.locator(".menu .menu-item").nth(3).waitFor();
    },
  },
  {
    name: "charts",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom(CRATES);
      const series = ["B", "C"].map((column) => ({ name: `=Sheet1!$${column}$1`, values: `=Sheet1!$${column}$2:$${column}$5`, categories: "=Sheet1!$A$2:$A$5" }));
      const kinds = ["line", "pie", "bar", "area", "radar", "combo"] as const;
      await gallery.add((sheet) =>
        kinds.map((type, at) =>
          item(sheet, "chart", [at < 3 ? "A7" : "A19"], {
            type,
            title: "Crates of fruit",
            series: type === "combo" ? [series[0], { ...series[1], type: "line" }] : series,
            offsetX: (at % 3) * 330,
            offsetY: 0,
            width: 320,
            height: 250,
          }),
        ),
      );
      await gallery.page.locator(".chart-canvas canvas, .chart-canvas svg").nth(2).waitFor();
      await gallery.page.waitForTimeout(1_200);
    },
  },
  {
    name: "charts-statistical",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("Step,Change,Score\nStart,120,52\nSold,80,58\nReturned,-35,61\nRent,-90,64\nTaxes,-110,69\nGrant,140,71\n,,75\n,,86\n,,130");
      const series = { name: "=Sheet1!$B$1", values: "=Sheet1!$B$2:$B$7", categories: "=Sheet1!$A$2:$A$7" };
      const scores = { name: "=Sheet1!$C$1", values: "=Sheet1!$C$2:$C$10" };
      const kinds = ["histogram", "boxPlot", "waterfall", "funnel", "treemap"] as const;
      await gallery.add((sheet) =>
        kinds.map((type, at) =>
          item(sheet, "chart", [at < 3 ? "D1" : "D13"], {
            type,
            title: "Accounts of the year",
            series: type === "histogram" || type === "boxPlot" ? [scores] : [series],
            offsetX: 8 + (at % 3) * 300,
            offsetY: 8,
            width: 290,
            height: 250,
          }),
        ),
      );
      await gallery.page.locator(".chart-canvas canvas, .chart-canvas svg").nth(2).waitFor();
      await gallery.page.waitForTimeout(1_200);
    },
  },
  {
    name: "charts-stock",
    skipsReset: true,
    show: async (gallery) => {
      const prices = [[10, 14, 9, 13], [13, 13.5, 11, 11.5], [11.5, 12.5, 10, 12.5], [12.5, 16, 12, 15.5], [15.5, 15.5, 14, 14.5], [14.5, 17, 14, 16], [16, 16.5, 15.5, 16]];
      await gallery.ownRoom(["Day,Open,High,Low,Close", ...prices.map((day, at) => `2026-03-${String(at + 2).padStart(2, "0")},${day.join(",")}`)].join("\n"));
      const series = ["B", "C", "D", "E"].map((column) => ({ name: `=Sheet1!$${column}$1`, values: `=Sheet1!$${column}$2:$${column}$8`, categories: "=Sheet1!$A$2:$A$8" }));
      await gallery.add((sheet) =>
        [series, series.slice(1)].map((shown, at) => item(sheet, "chart", ["A10"], { type: "stock", title: "Price of wheat", series: shown, offsetX: at * 430, offsetY: 0, width: 420, height: 260 })),
      );
      await gallery.page.locator(".chart-canvas canvas, .chart-canvas svg").nth(1).waitFor();
      await gallery.page.waitForTimeout(1_200);
    },
  },
  {
    name: "charts-heat-map",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("Day,8 h,10 h,12 h,14 h,16 h\nMonday,12,30,45,28,9\nTuesday,8,22,51,31,14\nWednesday,15,27,,35,11\nThursday,4,18,39,40,20\nFriday,19,44,60,25,6\nChange,-4,3,8,-9,2");
      const row = (at: number) => ({ name: `=Sheet1!$A$${at}`, values: `=Sheet1!$B$${at}:$F$${at}`, categories: "=Sheet1!$B$1:$F$1" });
      const days = [2, 3, 4, 5, 6].map((at) => ({ ...row(at), labels: true }));
      const stops = [{ value: 0, color: "#b5485d" }, { value: 20, color: "#d9822b" }, { value: 40, color: "#1f7a64" }];
      const charts = [
        { type: "heatMap", title: "Visitors", series: days },
        { type: "heatMap", title: "Change", series: [row(7), { ...row(2), labels: true }], legend: "right" },
        { type: "gauge", title: "Monday", series: [row(2)], yMax: 60, stops },
        { type: "gauge", title: "Tuesday at noon", series: [{ name: "=Sheet1!$A$3", values: "=Sheet1!$D$3" }] },
      ];
      await gallery.add((sheet) =>
        charts.map((chart, at) => item(sheet, "chart", ["A9"], { ...chart, offsetX: at * 306, offsetY: 0, width: 300, height: 240 })),
      );
      await gallery.page.locator(".chart-canvas canvas, .chart-canvas svg").nth(1).waitFor();
      await gallery.page.waitForTimeout(1_200);
    },
  },
  {
    name: "charts-map",
    skipsReset: true,
    show: async (gallery) => {
      const rows = [
        ["Germany", 83.5, 1.2], ["France", 68.4, 0.9], ["Italy", 59, -0.4], ["Spain", 48.8, 2.1], ["Poland", 36.6, -1.1], ["Sweden", 10.6, 0.6], ["Malta", 0.6, 2.9], ["Atlantis", 1, 1],
        ["India", 1438], ["China", 1411], ["United States", 336.8], ["Indonesia", 281.2], ["Brazil", 211.1], ["Nigeria", 227.9], ["Russia", 143.8], ["Mexico", 129.7], ["Japan", 124.5],
        ["Ethiopia", 128.7], ["Egypt", 114.5], ["DR Congo", 105.8], ["Australia", 26.7], ["Singapore", 5.9], ["South Africa", 63.2], ["Canada", 40.1], ["Argentina", 45.5], ["Fiji", 0.9],
      ];
      await gallery.ownRoom(["Country,Population,Growth", ...rows.map((row) => row.join(","))].join("\n"));
      const cells = (column: string, first: number, last: number) => ({ name: `=Sheet1!$${column}$1`, values: `=Sheet1!$${column}$${first}:$${column}$${last}`, categories: `=Sheet1!$A$${first}:$A$${last}` });
      const charts = [
        { type: "map", title: "Population in millions", series: [cells("B", 2, 27)] },
        { type: "map", title: "Growth in percent", series: [{ ...cells("C", 2, 9), color: "#3f6fc4" }], legend: "right" },
      ];
      await gallery.add((sheet) =>
        charts.map((chart, at) => item(sheet, "chart", ["A9"], { ...chart, offsetX: at * 490, offsetY: 0, width: at === 0 ? 480 : 420, height: 300 })),
      );
      await gallery.page.locator(".chart-canvas canvas, .chart-canvas svg").nth(1).waitFor();
      await gallery.page.waitForTimeout(1_500);
    },
  },
  {
    name: "charts-error-bars",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("Week,North,South\n1,3.1,8\n2,4.9,12\n3,9.2,13\n4,15.8,19\n5,26.5,21\n6,41,30");
      const cells = (column: string) => ({ name: `=Sheet1!$${column}$1`, values: `=Sheet1!$${column}$2:$${column}$7`, categories: "=Sheet1!$A$2:$A$7" });
      const equation = { trendlineEquation: true, trendlineRSquared: true };
      const charts = [
        { type: "scatter", series: [{ ...cells("B"), trendline: "polynomial", trendlineOrder: 3, ...equation, errorBars: "standardError", trendlineBackward: 0.5 }] },
        { type: "line", series: [{ ...cells("B"), trendline: "exponential", ...equation, trendlineForward: 1, trendlineIntercept: 2 }, { ...cells("C"), errorBars: "fixed", errorAmount: 3 }] },
        { type: "column", series: [{ ...cells("B"), errorBars: "percent", errorAmount: 20 }, { ...cells("C"), trendline: "linear", ...equation, errorBars: "standardDeviation", errorDirection: "plus" }] },
        { type: "bar", series: [{ ...cells("B"), errorBars: "standardError" }, { ...cells("C"), trendline: "linear", ...equation, errorBars: "fixed", errorAmount: 2 }] },
      ];
      await gallery.add((sheet) =>
        charts.map((chart, at) =>
          item(sheet, "chart", [at < 2 ? "A9" : "A22"], { ...chart, title: "Crates of fruit", offsetX: (at % 2) * 430, offsetY: 0, width: 420, height: 250 }),
        ),
      );
      await gallery.page.locator(".chart-canvas canvas, .chart-canvas svg").nth(1).waitFor();
      await gallery.page.waitForTimeout(1_200);
    },
  },
  {
    name: "drawings-missing",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom(CRATES);
      await gallery.page.route(/ChartFrame|ImageFrame|LaterButtons/, (route) => route.abort());
      await gallery.page.reload();
      await gallery.saved();
      await gallery.add((sheet) => [
        item(sheet, "chart", ["A7"], { type: "line", width: 320, height: 170 }),
        item(sheet, "image", ["E3"], { source: "not-a-picture", width: 160, height: 110 }),
      ]);
      await gallery.page.locator(".load-error").nth(1).waitFor();
    },
  },
  {
    name: "image-missing",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom(CRATES);
      await gallery.add((sheet) => [item(sheet, "image", ["B3"], { source: "not-a-picture", width: 240, height: 120 })]);
      await gallery.page.locator(".drawing-note").waitFor();
    },
  },
  {
    name: "panel-image",
    skipsReset: true,
    show: async (gallery) => {
      const room = await gallery.ownRoom("Fruit,1,2,3,4,Course\nApple,6,-2,3,7,\"=SPARKLINE(B2:E2,{\"\"charttype\"\",\"\"column\"\"})\"\nPear,3,1,4,1,=SPARKLINE(B3:E3)\n");
      const picture = await gallery.page.screenshot({ clip: { x: 0, y: 0, width: 320, height: 200 } });
      const base = `${gallery.server.url}/api/v1/rooms/${room}`;
      const kept = await fetch(`${base}/images`, { method: "POST", body: new Uint8Array(picture) });
      const { image } = (await kept.json()) as { readonly image: string };
      const fields = { source: image, width: 240, height: 150, altText: "Apples" };
      await fetch(`${base}/sheets/Sheet1/items`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ kind: "image", anchors: ["B5"], fields }),
      });
      await gallery.page.locator(".drawing-frame").focus();
      await gallery.page.keyboard.press("Enter");
      await gallery.page.locator(".panel").waitFor();
      await gallery.page.waitForTimeout(600);
    },
  },
];
