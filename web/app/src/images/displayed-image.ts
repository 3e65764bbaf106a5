/** The address by which an element displays an image. */

import { type Accessor, createEffect, createSignal, onCleanup } from "solid-js";
import { credentialOf, roomFetch } from "../access/index.ts";

/**
 * The address of an image for an `img` element. An element sends no credential, so the image of a
 * room that needs one is requested first. `attempt` distinguishes repeated requests; `onFailed` is
 * called when a request fails.
 */
export function displayedImage(room: string, url: Accessor<string | undefined>, attempt: Accessor<number>, onFailed: () => void): Accessor<string | undefined> {
  const [loaded, setLoaded] = createSignal<string>();
  const isPlain = (): boolean => url()?.startsWith("data:") === true || credentialOf(room) === undefined;
  createEffect(() => {
    const address = url();
    attempt();
    if (address === undefined || isPlain()) {
      return;
    }
    const controller = new AbortController();
    let object: string | undefined;
    onCleanup(() => {
      controller.abort();
      setLoaded(undefined);
      if (object !== undefined) {
        URL.revokeObjectURL(object);
      }
    });
    void (async () => {
      const response = await roomFetch(room, address, { signal: controller.signal }).catch(() => undefined);
      const blob = response?.ok ? await response.blob().catch(() => undefined) : undefined;
      if (controller.signal.aborted) {
        return;
      }
      if (!blob) {
        onFailed();
        return;
      }
      object = URL.createObjectURL(blob);
      setLoaded(object);
    })();
  });
  return () => (isPlain() ? (attempt() === 0 ? url() : `${url()}?attempt=${attempt()}`) : loaded());
}
