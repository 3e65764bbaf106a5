/** Short messages over the page, each for a while. */

import { createSignal } from "solid-js";
import type { IconName } from "../components/index.ts";

const SHOWN_MS = 6_000;

export interface ToastKind {
  readonly icon: IconName;
}

export interface Toast extends ToastKind {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
}

export class ToastQueue {
  private readonly signal = createSignal<readonly Toast[]>([]);
  readonly list = this.signal[0];
  private count = 0;

  /** The same words show once. */
  show(text: string, isError: boolean, { icon }: ToastKind = { icon: isError ? "warning" : "check" }): void {
    this.count += 1;
    const id = this.count;
    this.signal[1]((toasts) => [...toasts.filter((old) => old.text !== text), { id, text, isError, icon }]);
    window.setTimeout(() => this.close(id), SHOWN_MS);
  }

  close(id: number): void {
    this.signal[1]((toasts) => toasts.filter((toast) => toast.id !== id));
  }
}
