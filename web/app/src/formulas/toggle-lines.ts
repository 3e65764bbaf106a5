import type { WorkbookModel } from "../state/index.ts";

/** Breaks the edited formula into lines, or joins its lines. Loaded on first use. */
export async function toggleLines(model: WorkbookModel): Promise<void> {
  const { toggleLines: toggle } = await import("./formula-lines.ts");
  toggle(model);
}
