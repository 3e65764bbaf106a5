/** Image files for tests. */

import type { Page } from "@playwright/test";
import type { User } from "./user.ts";

/** A PNG image of one colour, as base64. */
export async function picture(page: Page, width: number, height: number, color = "teal"): Promise<string> {
  return page.evaluate(
    ({ width, height, color }) => {
      const canvas = document.createElement("canvas");
      Object.assign(canvas, { width, height });
      const context = canvas.getContext("2d");
      if (context) {
        context.fillStyle = color;
        context.fillRect(0, 0, width, height);
      }
      return canvas.toDataURL("image/png").split(",")[1] ?? "";
    },
    { width, height, color },
  );
}

/** Pastes or drops an image. */
export async function give(person: User, kind: "paste" | "drop", content: { readonly type: string; readonly base64: string; readonly html?: string }, at?: string): Promise<void> {
  const point = at === undefined ? undefined : await person.point(at);
  await person.page.evaluate(
    ({ kind, content, point }) => {
      const bytes = Uint8Array.from(atob(content.base64), (letter) => letter.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], "image.png", { type: content.type }));
      if (content.html !== undefined) {
        data.setData("text/html", content.html);
      }
      if (kind === "paste") {
        const event = new ClipboardEvent("paste", { bubbles: true, cancelable: true });
        // Firefox copies no data that the event is made with.
        Object.defineProperty(event, "clipboardData", { value: data });
        document.activeElement?.dispatchEvent(event);
      } else {
        const place = { clientX: point?.x ?? 0, clientY: point?.y ?? 0 };
        const target = document.elementFromPoint(place.clientX, place.clientY);
        for (const type of ["dragover", "drop"]) {
          target?.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true, ...place }));
        }
      }
    },
    { kind, content, point },
  );
}

/** Natural widths of the images on the sheet; 0 for images that failed to load. */
export const pixelsOf = (person: User) =>
  person.page.locator(".drawing-image").evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth));
