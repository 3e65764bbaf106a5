/** A person at a window of WebKit. Tests read the page by functions that run in it. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "@playwright/test";
import type { Click, Point, Session } from "./webdriver.ts";

/** Expects by polling, at shorter intervals than usual: a question to the browser takes a few milliseconds. */
function eventually<T>(read: () => T | Promise<T>, message: string) {
  return expect.poll(read, { message, intervals: [20, 50, 100, 200] });
}

/** Column and row of a cell, from 0. */
function position(name: string): { row: number; column: number } {
  const [, letter = "A", digits = "1"] = /^([A-Z])(\d+)$/.exec(name) ?? [];
  return { row: Number(digits) - 1, column: letter.charCodeAt(0) - 65 };
}

function cellName(row: number, column: number): string {
  return `${String.fromCharCode(65 + column)}${row + 1}`;
}

/** A person who edits a workbook. Controls are found by role and accessible name. */
export class Person {
  readonly window: Session;
  /** Directory of the files that the browser saves. */
  private readonly files: string;

  constructor(window: Session, files: string) {
    this.window = window;
    this.files = files;
  }

  /** Opens a workbook and waits until it can be edited. */
  async opens(url: string): Promise<void> {
    await this.window.goTo(url);
    await this.status("Saved");
    await this.seesInCell("A1", /^/);
    await this.window.evaluate(() => {
      const problems: string[] = [];
      Object.assign(globalThis, { problems });
      addEventListener("error", ({ message }) => problems.push(message));
      addEventListener("unhandledrejection", ({ reason }) => problems.push(String(reason)));
      document.addEventListener("securitypolicyviolation", ({ blockedURI, violatedDirective }) => problems.push(`${violatedDirective}: ${blockedURI}`));
    });
  }

  /** Errors of the page since it was opened or reloaded. */
  problems(): Promise<readonly string[]> {
    return this.window.evaluate(() => (globalThis as unknown as { problems?: string[] }).problems ?? []);
  }

  // What the page shows.

  async seesInCell(cell: string, text: string | RegExp): Promise<void> {
    const read = (): Promise<string> =>
      this.window.evaluate((name) => document.querySelector(`[role=gridcell][data-cell="${name}"]`)?.textContent ?? "(not on the page)", cell);
    await eventually(read, `cell ${cell}`).toMatch(typeof text === "string" ? exactly(text) : text);
  }

  /** Expects these texts, row by row starting at `at`; `""` is blank. */
  async sees(at: string, rows: readonly (readonly string[])[]): Promise<void> {
    const { row, column } = position(at);
    for (const [down, texts] of rows.entries()) {
      for (const [right, text] of texts.entries()) {
        await this.seesInCell(cellName(row + down, column + right), text);
      }
    }
  }

  async status(text: string | RegExp): Promise<void> {
    const read = (): Promise<string> => this.window.evaluate(() => document.querySelector('[role=status][aria-label="Save status"]')?.textContent ?? "");
    await eventually(read, "save status").toMatch(typeof text === "string" ? exactly(text) : text);
  }

  async selection(range: string): Promise<void> {
    await eventually(() => this.window.evaluate(() => document.querySelector<HTMLInputElement>(".name-box")?.value), "name box").toBe(range);
  }

  /** Expects the text of the formula bar. */
  async formula(text: string): Promise<void> {
    const read = (): Promise<string | undefined> =>
      this.window.evaluate(() => document.querySelector<HTMLTextAreaElement>('textarea[aria-label="Formula bar"], input[aria-label="Formula bar"]')?.value);
    await eventually(read, "formula bar").toBe(text);
  }

  /** Waits until this text is on the page. */
  async reads(text: string): Promise<void> {
    await eventually(() => this.window.evaluate((wanted) => document.body.innerText.includes(wanted), text), text).toBe(true);
  }

  /** Waits until the active cell has the focus. */
  async focusInCells(): Promise<void> {
    await eventually(() => this.window.evaluate(() => document.activeElement?.classList.contains("cell-field") ?? false), "focus in the cells").toBe(true);
  }

  /** Number of pixels of a cell on the canvas that have about this colour. */
  async pixels(cell: string, color: readonly [number, number, number]): Promise<number> {
    const at = await this.point(cell);
    return this.window.evaluate(
      ({ x, y }, wanted) => {
        const canvas = document.querySelector<HTMLCanvasElement>(".grid-canvas");
        const box = canvas?.getBoundingClientRect();
        if (!canvas || !box) {
          throw new Error("no canvas on the page");
        }
        const scale = canvas.width / box.width;
        const data = canvas.getContext("2d")?.getImageData((x - box.left - 48) * scale, (y - box.top - 11) * scale, 96 * scale, 22 * scale).data ?? [];
        let count = 0;
        for (let first = 0; first < data.length; first += 4) {
          count += wanted.every((part, channel) => Math.abs((data[first + channel] ?? 0) - part) < 40) ? 1 : 0;
        }
        return count;
      },
      at,
      color,
    );
  }

  /** Waits until the browser has saved a file with this ending, and returns its text. */
  async savedFile(ending: string): Promise<string> {
    const read = async (): Promise<string> => {
      const names = await readdir(this.files).catch(() => []);
      const name = names.find((one) => one.endsWith(ending));
      return name === undefined ? "" : readFile(join(this.files, name), "utf8");
    };
    await eventually(read, `a downloaded ${ending}`).not.toBe("");
    return read();
  }

  // What a person does.

  /** Selects a cell or range by the name box. */
  async select(range: string): Promise<void> {
    await this.clicks("textbox", "Name box");
    await this.window.press("Control", "a");
    await this.window.type(range);
    await this.window.press("Enter");
    await this.selection(range);
    await this.focusInCells();
  }

  /** Types texts row by row, with Tab between columns and Enter after a row. */
  async types(at: string, rows: readonly (readonly string[])[]): Promise<void> {
    const { row, column } = position(at);
    for (const [down, texts] of rows.entries()) {
      await this.select(cellName(row + down, column));
      for (const [right, text] of texts.entries()) {
        await this.window.type(text);
        await this.window.press(right === texts.length - 1 ? "Enter" : "Tab");
      }
    }
  }

  /** Presses keys one after the other, or together if joined with `+`. */
  async press(...chords: readonly string[]): Promise<void> {
    for (const chord of chords) {
      await this.window.press(...chord.split("+"));
    }
  }

  /** Centre of a cell, for default sizes and an unscrolled sheet. */
  async point(cell: string): Promise<Point> {
    const { row, column } = position(cell);
    const grid = await this.window.evaluate(() => {
      const { x, y } = document.querySelector("main.grid")?.getBoundingClientRect() ?? { x: 0, y: 0 };
      return { x, y };
    });
    return { x: grid.x + 44 + column * 96 + 48, y: grid.y + 24 + row * 22 + 11 };
  }

  async clicksCell(cell: string, how: Click = {}): Promise<void> {
    await this.window.click(await this.point(cell), how);
  }

  /** Drags the mouse from cell to cell, or from the bottom right corner of the first one. */
  async drags(from: string, to: string, start: "middle" | "corner" = "middle"): Promise<void> {
    const [middle, end] = [await this.point(from), await this.point(to)];
    const first = start === "middle" ? middle : { x: middle.x + 47, y: middle.y + 10 };
    await this.window.drag([first, { x: (first.x + end.x) / 2, y: (first.y + end.y) / 2 }, { x: end.x, y: end.y - 5 }, end]);
  }

  /** Clicks a control as soon as it is shown, enabled and not covered by anything. */
  async clicks(role: string, name: string): Promise<void> {
    let at: Point | null = null;
    const isStill = async (): Promise<boolean> => {
      const last = at;
      at = await this.window.evaluate(locate, role, name);
      // An animation has ended when the control stays where it is.
      return at !== null && last?.x === at.x && last.y === at.y;
    };
    await eventually(isStill, `${role} “${name}”`).toBe(true);
    await this.window.click(at ?? { x: 0, y: 0 });
  }

  /** Waits until a control is shown. */
  async finds(role: string, name: string): Promise<void> {
    await eventually(() => this.window.evaluate(locate, role, name), `${role} “${name}”`).not.toBeNull();
  }
}

function exactly(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
}

/**
 * Runs on the page: the centre of the control with this role and the name or the start of it, or
 * null if there is none or something covers it.
 */
function locate(role: string, name: string): Point | null {
  const tags: Record<string, string> = { button: "button", textbox: "input, textarea", heading: "h1, h2, h3", checkbox: "input[type=checkbox]" };
  const nameOf = (element: Element): string => {
    const labels = (element.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent ?? "");
    const label = (element as Partial<HTMLInputElement>).labels?.[0]?.textContent;
    return (element.getAttribute("aria-label") || labels.join(" ").trim() || label || element.textContent || "").trim();
  };
  const selector = [`[role=${role}]`, ...(tags[role] ? [tags[role]] : [])].join(", ");
  const shown = [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility({ visibilityProperty: true }) && element.getAttribute("aria-disabled") !== "true");
  const found = shown.find((element) => nameOf(element) === name) ?? shown.find((element) => nameOf(element).startsWith(name));
  const box = found?.getBoundingClientRect();
  if (!found || !box) {
    return null;
  }
  const at = { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) };
  const top = document.elementFromPoint(at.x, at.y);
  return top && (found.contains(top) || top.contains(found)) ? at : null;
}
