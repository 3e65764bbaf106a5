/** What the page says when the server ends the connection for good (docs/protocol.md, "Close codes"). */

import type { Stage } from "../stage.ts";
import type { State } from "../state.ts";

/** The next frame that the page sends is answered with this. */
async function closeWith(stage: Stage, code: number, reason: string): Promise<void> {
  const worker = stage.page.workers()[0];
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
  // Where somebody is, is told to the others.
  await stage.press("ArrowDown");
  await stage.page.getByRole("dialog").waitFor();
}

const closing = (name: string, code: number, reason: string): State => ({
  name,
  show: async (stage) => {
    await stage.ownRoom("Orchard,Fruit,Crates\nNorth slope,Apple,612\nRiver bank,Pear,301\n");
    await stage.select("B2");
    await closeWith(stage, code, reason);
  },
});

export const closings: readonly State[] = [
  closing("closed-too-large", 1009, "frame_too_large"),
  closing("closed-newer-server", 4400, "upgrade_client"),
  closing("closed-bad-frame", 4402, "bad_frame"),
  closing("closed-forbidden", 4403, "forbidden"),
  closing("closed-replaced", 4411, "replaced"),
];
