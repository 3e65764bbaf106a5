export { Toasts } from "./Toasts.tsx";
export { type ToastKind, ToastQueue } from "./toast-queue.ts";
