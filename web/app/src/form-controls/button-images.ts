/** The images of buttons, `IMAGEBUTTON("/go.png")`, which the grid draws in their cells. */

import { roomFetch } from "../access/index.ts";

/** Images that are kept; beyond that, buttons show their texts. */
const IMAGES_MAX = 200;

/** The images of a workbook, each loaded once. */
export class ButtonImages {
  private readonly room: string;
  /** `undefined` while an image is loaded, and if it cannot be. */
  private readonly images = new Map<string, ImageBitmap | undefined>();

  constructor(room: string) {
    this.room = room;
  }

  /**
   * The image at an address of this server, or within the address; `undefined` until `loaded` is
   * called.
   */
  of(address: string, loaded: () => void): ImageBitmap | undefined {
    if (!this.images.has(address) && this.images.size < IMAGES_MAX) {
      this.images.set(address, undefined);
      void this.load(address, loaded);
    }
    return this.images.get(address);
  }

  private async load(address: string, loaded: () => void): Promise<void> {
    const blob = address.startsWith("data:") ? blobOf(address) : await this.fetched(address);
    const image = blob && (await createImageBitmap(blob).catch(() => undefined));
    if (image) {
      this.images.set(address, image);
      loaded();
    }
  }

  private async fetched(address: string): Promise<Blob | undefined> {
    const response = await roomFetch(this.room, address).catch(() => undefined);
    return response?.ok ? await response.blob().catch(() => undefined) : undefined;
  }
}

/** The content of a `data:` address in Base64, which the page may not fetch. */
function blobOf(address: string): Blob | undefined {
  const [, type, content] = /^data:(image\/[a-z]+);base64,(.*)$/.exec(address) ?? [];
  if (type === undefined || content === undefined) {
    return undefined;
  }
  try {
    return new Blob([Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0))], { type });
  } catch {
    return undefined;
  }
}
