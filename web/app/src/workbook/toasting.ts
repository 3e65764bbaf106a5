/** Short messages over the page, each for a while. */

import { createSignal } from "solid-js";
import { t } from "../language/language.ts";

const SHOWN_MS = 6_000;

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
}

export class Toasting {
  private readonly signal = createSignal<readonly Toast[]>([]);
  readonly list = this.signal[0];
  private count = 0;

  /** The same words show once. */
  show(text: string, isError: boolean): void {
    this.count += 1;
    const id = this.count;
    this.signal[1]((toasts) => [...toasts.filter((old) => old.text !== text), { id, text, isError }]);
    window.setTimeout(() => this.close(id), SHOWN_MS);
  }

  tellOpening(): void {
    this.show(t("The workbook is still being opened. In a moment you can change it."), false);
  }

  close(id: number): void {
    this.signal[1]((toasts) => toasts.filter((toast) => toast.id !== id));
  }
}
