/**
 * Dialogs shown when the server closes the connection permanently (docs/protocol.md, "Close
 * codes").
 */

import type { GalleryPage } from "../gallery-page.ts";
import type { State } from "../state.ts";

/** Makes the next frame that the page sends fail with a close event. */
async function closeConnection(gallery: GalleryPage, code: number, reason: string): Promise<void> {
  const worker = gallery.page.workers()[0];
  if (!worker) {
    throw new Error("the page has no worker");
  }
  await worker.evaluate(
    (ending) => {
      const { send } = WebSocket.prototype;
      WebSocket.prototype.send = function (frame) {
        WebSocket.prototype.send = send;
        send.call(this, frame);
        this.dispatchEvent(new CloseEvent("close", ending));
      };
    },
    { code, reason },
  );
  // Moving the selection sends a presence frame.
  await gallery.press("ArrowDown");
  await gallery.page.getByRole("dialog").waitFor();
}

const closedWith = (name: string, code: number, reason: string): State => ({
  name,
  show: async (gallery) => {
    await gallery.ownRoom("Orchard,Fruit,Crates\nNorth slope,Apple,612\nRiver bank,Pear,301\n");
    await gallery.select("B2");
    await closeConnection(gallery, code, reason);
  },
});

export const closeCodes: readonly State[] = [
  closedWith("closed-too-large", 1009, "frame_too_large"),
  closedWith("closed-newer-server", 4400, "upgrade_client"),
  closedWith("closed-bad-frame", 4402, "bad_frame"),
  closedWith("closed-replaced", 4411, "replaced"),
  closedWith("closed-quota", 4413, "quota_exceeded"),
];
