/** Toasts: short messages over the page. */

export { type ToastKind, ToastQueue } from "./toast-queue.ts";
export { Toasts } from "./Toasts.tsx";
