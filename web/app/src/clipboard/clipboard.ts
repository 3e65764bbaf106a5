/**
 * The clipboard of a workbook: what was copied, and the events of the browser. The work itself is in
 * `copying.ts` and `pasting.ts`, which are loaded after the workbook is editable.
 */

import type { ClipboardSource } from "@quadrille/editor";
import type { Cell, Range } from "@quadrille/grid";
import type { PasteScope } from "@quadrille/protocol";
import type { WorkbookModel } from "../state/index.ts";
import { withLaterParts } from "../workbook/index.ts";
import type { Copying } from "./copying.ts";

/** The copied range with the mark that identifies it on the clipboard. */
export interface CopySource extends ClipboardSource {
  readonly isCut: boolean;
  readonly cells: Range;
}

/** Cells in the formats of the clipboard. */
export interface ClipboardContent {
  readonly text: string;
  readonly html: string;
}

/** Everything that a paste may use. */
export interface PastedContent extends ClipboardContent {
  readonly image: Blob | undefined;
}

/**
 * The target of a paste: the selection at the time of the request, even if the selection changes
 * while the clipboard is read.
 */
export interface PasteTarget {
  readonly sheet: number;
  readonly range: Range;
  readonly active: Cell;
}

/** The clipboard of one workbook. */
export class Clipboard {
  private readonly model: WorkbookModel;
  /** Source of the last copy in this tab. */
  private source: CopySource | undefined;
  private nextPasteScope: PasteScope = "all";
  private copying: Copying | undefined;

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** The copied range to frame on this sheet. */
  copiedRange(sheet: number): Range | undefined {
    return this.source?.sheet === sheet ? this.source.cells : undefined;
  }

  /** Source of the last copy in this tab. */
  copied(): CopySource | undefined {
    return this.source;
  }

  /** Remembers the source of a copy of cells of the open sheet, and frames it. */
  setSource(source: CopySource): void {
    this.source = source;
    this.model.grid?.setCopied(this.copiedRange(this.model.sheetId()));
  }

  /** Ends the copy: removes the frame around the copied cells. */
  forget(): void {
    this.source = undefined;
    this.model.grid?.setCopied(undefined);
  }

  /** Content of the last copy that has not reached the clipboard yet. */
  get pendingContent(): Promise<ClipboardContent> | undefined {
    return this.copying?.pendingContent;
  }

  /** Handles a `copy` or `cut` event of the cell field. */
  copy(event: ClipboardEvent, isCut: boolean): void {
    if (this.model.cellEdit.edit()) {
      return;
    }
    event.preventDefault();
    if (!this.copying?.fillEvent(event)) {
      this.copySelection(isCut);
    }
  }

  /** Copies or cuts the selected cells. */
  copySelection(isCut: boolean): void {
    withLaterParts(this.model, (parts) => {
      this.copying ??= new parts.Copying(this.model);
      void this.copying.copySelection(isCut);
    });
  }

  /** Handles a `paste` event of the cell field. */
  paste(event: ClipboardEvent): void {
    const { model } = this;
    if (model.cellEdit.edit()) {
      return;
    }
    event.preventDefault();
    const what = this.nextPasteScope;
    this.nextPasteScope = "all";
    const html = event.clipboardData?.getData("text/html") ?? "";
    const text = event.clipboardData?.getData("text/plain") ?? "";
    const image = [...(event.clipboardData?.files ?? [])].find(({ type }) => type.startsWith("image/"));
    const pasteNow = (content: PastedContent, target: PasteTarget): void =>
      withLaterParts(model, ({ pasteContents }) => pasteContents(model, content, what, target));
    // The content of the last copy has not reached the clipboard yet; paste that instead of the
    // older clipboard content.
    const pending = this.pendingContent;
    model.keys.enqueue(() => {
      const target = pasteTarget(model);
      // The copy may have been waiting in the queue, too.
      const copied = pending ?? this.pendingContent;
      if (copied) {
        model.keys.waitForAnswer(copied, (content) => pasteNow({ ...content, image: undefined }, target));
      } else {
        pasteNow({ html, text, image }, target);
      }
    });
  }

  /** Makes the next `paste` event paste values only. */
  pasteValuesNext(): void {
    this.nextPasteScope = "values";
  }
}

/** Where to paste now: into the selection; in a sorted view from its topmost cell on the screen. */
export function pasteTarget(model: WorkbookModel): PasteTarget {
  const sorted = model.grid?.sortedSelection;
  const row = sorted?.rows[0];
  const cells =
    !sorted || row === undefined
      ? { range: model.range, active: model.selection().active }
      : { range: { top: row, bottom: row, left: sorted.left, right: sorted.right }, active: { row, column: sorted.left } };
  return { sheet: model.sheetId(), ...cells };
}
