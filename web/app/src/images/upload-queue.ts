/** Pictures that were put in without a network, once there is one. */

import { t } from "../language/index.ts";
import { UNSENT_IMAGES } from "../offline/index.ts";
import { roomApi } from "../rooms/index.ts";
import type { WorkbookModel } from "../state/index.ts";

export async function sendQueuedImages(model: WorkbookModel): Promise<void> {
  // Hardly ever is there one, and what sends it need not be loaded.
  if (!("caches" in window) || !(await caches.has(UNSENT_IMAGES))) {
    return;
  }
  const { sendUnsent } = await import("../offline/image-store.ts");
  await sendUnsent(`${roomApi(model.room)}/images`, () => model.toast(t("The server rejected an image that was inserted offline."), true));
}
