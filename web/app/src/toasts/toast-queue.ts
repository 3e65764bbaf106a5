/** The queue of toasts. */

import { createSignal } from "solid-js";
import type { IconName } from "../components/index.ts";

const DURATION_MS = 6_000;

/** The icon of a toast. */
export interface ToastKind {
  readonly icon: IconName;
}

/** A displayed toast. */
export interface Toast extends ToastKind {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
}

/** The toasts of one workbook; each closes after a while. */
export class ToastQueue {
  private readonly signal = createSignal<readonly Toast[]>([]);
  readonly list = this.signal[0];
  private count = 0;

  /** Shows a toast; an older one with the same text is replaced. */
  show(text: string, isError: boolean, { icon }: ToastKind = { icon: isError ? "warning" : "check" }): void {
    this.count += 1;
    const id = this.count;
    this.signal[1]((toasts) => [...toasts.filter((old) => old.text !== text), { id, text, isError, icon }]);
    window.setTimeout(() => this.close(id), DURATION_MS);
  }

  /** Closes a toast. */
  close(id: number): void {
    this.signal[1]((toasts) => toasts.filter((toast) => toast.id !== id));
  }
}
