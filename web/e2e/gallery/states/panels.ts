/** Panels beside the sheet. */

import { item } from "../exhibit.ts";
import type { State } from "../state.ts";

const CRATES = "Fruit,Crates,Last year\nApple,612,580\nPear,301,310\nPlum,174,90\nQuince,66,71\n";

export const panels: readonly State[] = [
  {
    name: "find",
    show: async (stage) => {
      await stage.select("A1");
      await stage.press("Control+f");
      await stage.page.locator(".find input").first().fill("apple");
      await stage.page.waitForTimeout(400);
    },
  },
  {
    name: "find-replace-none",
    show: async (stage) => {
      await stage.select("A1");
      await stage.press("Control+h");
      await stage.page.locator(".find input").first().fill("pineapple");
      await stage.page.waitForTimeout(400);
    },
  },
  {
    name: "find-bad-pattern",
    show: async (stage) => {
      await stage.select("A1");
      await stage.press("Control+f");
      await stage.page.locator(".find .check input").nth(2).check();
      await stage.page.locator(".find input").first().fill("(a");
      await stage.page.locator(".find [aria-invalid=true]").waitFor();
    },
  },
  {
    name: "panel-statistics",
    show: async (stage) => {
      await stage.select("D3");
      await stage.choose("Data", "Column statistics");
      await stage.page.locator(".statistics-bars").first().waitFor();
    },
  },
  {
    name: "panel-comments",
    show: async (stage) => {
      await stage.select("F6");
      await stage.press("Control+Alt+m");
      await stage.page.locator(".threads li").first().waitFor();
    },
  },
  {
    name: "panel-note",
    show: async (stage) => {
      await stage.select("B7");
      await stage.press("Control+Alt+m");
      await stage.page.locator(".panel .note").waitFor();
    },
  },
  {
    name: "panel-comments-none",
    show: async (stage) => {
      await stage.ownRoom("1,2");
      await stage.press("Control+Alt+m");
      await stage.page.locator(".panel").waitFor();
    },
  },
  {
    name: "panel-comments-resolved",
    show: async (stage) => {
      const room = await stage.ownRoom("1,2");
      const time = Date.UTC(2026, 10, 20, 9, 30);
      await stage.add((sheet) => [
        item(sheet, "commentThread", ["B1"], { author: "Ada", time, resolved: true, resolvedBy: "Grace" }, 900),
        item(sheet, "comment", [], { parent: 900, text: "Does this count the crates that were lent?", author: "Ada", time }),
      ]);
      await stage.meet({ name: "Grace", color: 0xb3541e, cells: "A1" }, room);
      await stage.press("Control+Alt+m");
      await stage.page.locator(".panel .check input").check();
      await stage.page.locator(".thread.is-resolved").waitFor();
      await stage.page.locator(".writer textarea").first().fill("Please look at this, @G");
      await stage.page.locator(".writer-names button").waitFor();
    },
  },
  {
    name: "panel-history",
    show: async (stage) => {
      await stage.choose("File", "History");
      await stage.page.locator(".panel li").first().waitFor();
    },
  },
  {
    name: "panel-history-moment",
    show: async (stage) => {
      await stage.choose("File", "History");
      await stage.page.locator(".panel li button").last().click();
      await stage.page.getByRole("dialog").locator("td").first().waitFor();
    },
  },
  {
    name: "panel-history-of-cell",
    show: async (stage) => {
      await stage.ownRoom("1,2");
      await stage.select("A1");
      await stage.type("3");
      await stage.press("Enter");
      await stage.saved();
      await stage.select("A1");
      await stage.choose("File", "History");
      await stage.page.locator(".history-of button").last().click();
      await stage.page.locator(".history-line").first().waitFor();
    },
  },
  {
    name: "panel-history-unreachable",
    show: async (stage) => {
      await stage.ownRoom("1,2");
      await stage.context.setOffline(true);
      await stage.choose("File", "History");
      await stage.page.locator(".panel [role=alert]").waitFor();
    },
  },
  {
    name: "panel-history-none",
    show: async (stage) => {
      await stage.ownRoom("");
      await stage.choose("File", "History");
      await stage.page.locator(".panel").waitFor();
      await stage.page.waitForTimeout(300);
    },
  },
  {
    name: "panel-chat-none",
    show: async (stage) => {
      await stage.ownRoom("1,2");
      await stage.choose("View", "Chat");
      await stage.page.locator(".panel textarea").waitFor();
    },
  },
  {
    name: "panel-chat",
    show: async (stage) => {
      await stage.ownRoom("1,2");
      await stage.choose("View", "Chat");
      const field = stage.page.locator(".panel textarea");
      for (const [index, text] of ["Who has been at the old wall?", "I was, see A1:B1. The quinces can wait for another week."].entries()) {
        await field.fill(text);
        await field.press("Enter");
        await stage.page.locator(".remark:not(.is-unsent)").nth(index).waitFor();
      }
    },
  },
  {
    name: "panel-chat-unsent",
    show: async (stage) => {
      await stage.ownRoom("1,2");
      await stage.choose("View", "Chat");
      await stage.page.locator(".panel .panel-note").waitFor();
      await stage.context.setOffline(true);
      await stage.page.locator(".save-state .is-warning").waitFor();
      const field = stage.page.locator(".panel textarea");
      await field.fill("Can you read this?");
      await field.press("Enter");
      await stage.page.locator(".remark.is-unsent").waitFor();
    },
  },
  {
    name: "panel-chat-refused",
    show: async (stage) => {
      await stage.ownRoom("1,2");
      await stage.choose("View", "Chat");
      // Faster than anybody types: ten are taken at once, and then one a second.
      await stage.page.locator(".chat-writer").evaluate((form: HTMLFormElement) => {
        const field = form.querySelector("textarea");
        for (let at = 1; at <= 12 && field; at += 1) {
          field.value = `${at}`;
          field.dispatchEvent(new InputEvent("input", { bubbles: true }));
          form.requestSubmit();
        }
      });
      await stage.page.locator(".chat-refused").waitFor();
    },
  },
  {
    name: "chat-unread",
    show: async (stage) => {
      const room = await stage.ownRoom("1,2");
      const other = await stage.meet({ name: "Ada", color: 0x9b2c6f, cells: "B1" }, room);
      await other.getByRole("button", { name: "Chat" }).click();
      const field = other.locator(".panel textarea");
      await field.fill("Are you there?");
      await field.press("Enter");
      await stage.page.locator(".chat-unread").waitFor();
    },
  },
  {
    name: "panel-chart-none",
    show: async (stage) => {
      await stage.ownRoom(CRATES);
      await stage.button("Insert a chart").click();
      await stage.page.locator(".chart-canvas canvas, .chart-canvas svg").first().waitFor();
      await stage.page.locator(".over-frame").focus();
      await stage.press("Escape");
      await stage.page.locator(".panel .button.is-main").waitFor();
    },
  },
  {
    name: "panel-chart",
    show: async (stage) => {
      await stage.ownRoom(CRATES);
      await stage.button("Insert a chart").click();
      await stage.page.locator(".chart-canvas canvas, .chart-canvas svg").first().waitFor();
      await stage.page.waitForTimeout(900);
    },
  },
  {
    name: "chart",
    show: async (stage) => {
      await stage.ownRoom(CRATES);
      await stage.button("Insert a chart").click();
      await stage.page.locator(".chart-canvas canvas, .chart-canvas svg").first().waitFor();
      await stage.page.locator(".panel-header .tool").last().click();
      await stage.page.waitForTimeout(900);
    },
  },
  {
    name: "charts",
    show: async (stage) => {
      await stage.ownRoom(CRATES);
      const series = ["B", "C"].map((column) => ({ name: `=Sheet1!$${column}$1`, values: `=Sheet1!$${column}$2:$${column}$5`, categories: "=Sheet1!$A$2:$A$5" }));
      const kinds = ["line", "pie", "bar", "area", "radar", "combo"] as const;
      await stage.add((sheet) =>
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
      await stage.page.locator(".chart-canvas canvas, .chart-canvas svg").nth(2).waitFor();
      await stage.page.waitForTimeout(1_200);
    },
  },
  {
    name: "frames-missing",
    show: async (stage) => {
      await stage.ownRoom(CRATES);
      await stage.page.route(/ChartFrame|ImageFrame|ChatButton/, (route) => route.abort());
      await stage.page.reload();
      await stage.saved();
      await stage.add((sheet) => [
        item(sheet, "chart", ["A7"], { type: "line", width: 320, height: 170 }),
        item(sheet, "image", ["E3"], { source: "not-a-picture", width: 160, height: 110 }),
      ]);
      await stage.page.locator(".part-missing").nth(1).waitFor();
    },
  },
  {
    name: "image-missing",
    show: async (stage) => {
      await stage.ownRoom(CRATES);
      await stage.add((sheet) => [item(sheet, "image", ["B3"], { source: "not-a-picture", width: 240, height: 120 })]);
      await stage.page.locator(".over-note").waitFor();
    },
  },
  {
    name: "panel-image",
    show: async (stage) => {
      const room = await stage.ownRoom("Fruit,1,2,3,4,Course\nApple,6,-2,3,7,\"=SPARKLINE(B2:E2,{\"\"charttype\"\",\"\"column\"\"})\"\nPear,3,1,4,1,=SPARKLINE(B3:E3)\n");
      const picture = await stage.page.screenshot({ clip: { x: 0, y: 0, width: 320, height: 200 } });
      const base = `${stage.server.url}/api/v1/rooms/${room}`;
      const kept = await fetch(`${base}/images`, { method: "POST", body: new Uint8Array(picture) });
      const { image } = (await kept.json()) as { readonly image: string };
      const fields = { source: image, width: 240, height: 150, altText: "Apples" };
      await fetch(`${base}/sheets/Sheet1/items`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ kind: "image", anchors: ["B5"], fields }),
      });
      await stage.page.locator(".over-frame").focus();
      await stage.page.keyboard.press("Enter");
      await stage.page.locator(".panel").waitFor();
      await stage.page.waitForTimeout(600);
    },
  },
];
