/** Uploads images that were inserted offline. */

import { roomFetch } from "../access/index.ts";
import { t } from "../language/index.ts";
import { UNSENT_IMAGES } from "../offline/index.ts";
import { roomApi } from "../rooms/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** Uploads the queued images of the room; rejected ones are shown as toasts. */
export async function sendQueuedImages(model: WorkbookModel): Promise<void> {
  // Avoids loading the code when the queue is empty, as it nearly always is.
  if (!("caches" in window) || !(await caches.has(UNSENT_IMAGES))) {
    return;
  }
  const { sendUnsent } = await import("../offline/image-store.ts");
  await sendUnsent(`${roomApi(model.room)}/images`, (url, init) => roomFetch(model.room, url, init), () => model.toast(t("The server rejected an image that was inserted offline."), true));
}
