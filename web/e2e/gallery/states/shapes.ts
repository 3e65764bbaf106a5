/** Shapes: the gallery of shapes, the field for a text, and the panels of shapes, lines and cropped images. */

import type { GalleryPage } from "../gallery-page.ts";
import type { State } from "../state.ts";

const CSV = "Fruit,Crates\nApple,612\nPear,301\n";

interface Drawn {
  readonly image: string;
  readonly shape: boolean;
  readonly width: number;
  readonly height: number;
}

/** Draws shapes, or changes images, and shows them from B5 on, one below the other. */
async function addShapes(gallery: GalleryPage, room: string, ...given: readonly object[]): Promise<void> {
  const base = `${gallery.server.url}/api/v1/rooms/${room}`;
  const post = async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(`${base}/${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    if (!response.ok) {
      throw new Error(`${path}: ${await response.text()}`);
    }
    return response.json();
  };
  for (const [index, attributes] of given.entries()) {
    const { image, shape, width, height } = (await post("shapes", attributes)) as Drawn;
    await post("sheets/Sheet1/items", { kind: "image", anchors: [`B${5 + 6 * index}`], fields: { source: image, shape, width, height, altText: `${index + 1}` } });
  }
  await gallery.page.locator(".drawing-frame").nth(given.length - 1).waitFor();
}

/** Opens the panel of the first shape. */
async function openPanel(gallery: GalleryPage): Promise<void> {
  await gallery.page.locator(".drawing-frame").first().focus();
  await gallery.page.keyboard.press("Enter");
  await gallery.page.locator(".panel .shape-settings").waitFor();
  await gallery.page.waitForTimeout(600);
}

function panel(name: string, ...given: readonly object[]): State {
  return {
    name,
    skipsReset: true,
    show: async (gallery) => {
      await addShapes(gallery, await gallery.ownRoom(CSV), ...given);
      await openPanel(gallery);
    },
  };
}

export const shapes: readonly State[] = [
  { name: "dialog-shape", show: async (gallery) => void (await gallery.dialog("Insert", "Shape…")) },
  panel(
    "panel-shape",
    { preset: "wedgeRoundRectCallout", text: "Only the yellow cells\nمرحبا", width: 170, height: 70 },
    { preset: "star5", width: 100, height: 100, fill: "#ffc000", outline: null, rotation: 15 },
    { text: "A text box without a fill", fill: null },
  ),
  panel("panel-shape-line", { preset: "straightConnector1", width: 160, height: 40, endArrow: true, outlineDash: "dash" }),
  {
    name: "panel-image-cropped",
    skipsReset: true,
    show: async (gallery) => {
      const room = await gallery.ownRoom(CSV);
      const picture = await gallery.page.screenshot({ clip: { x: 0, y: 0, width: 320, height: 200 } });
      const kept = await fetch(`${gallery.server.url}/api/v1/rooms/${room}/images`, { method: "POST", body: new Uint8Array(picture) });
      const { image } = (await kept.json()) as { readonly image: string };
      await addShapes(gallery, room, { image, width: 240, height: 150, crop: { left: 0.1, bottom: 0.25 }, rotation: 12 });
      await openPanel(gallery);
    },
  },
  {
    name: "shape-text",
    skipsReset: true,
    show: async (gallery) => {
      await addShapes(gallery, await gallery.ownRoom(CSV), { preset: "ellipse", text: "Start", width: 160, height: 80 });
      await gallery.page.locator(".drawing-frame").first().focus();
      await gallery.page.keyboard.press("F2");
      await gallery.page.locator(".shape-text-editor textarea").waitFor();
    },
  },
];
