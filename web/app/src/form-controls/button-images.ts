/** The images of buttons, `IMAGEBUTTON("/go.png")`, which the grid draws in their cells. */

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
    const module = await import("./load-button-image.ts").catch(() => undefined);
    const image = await module?.loadButtonImage(this.room, address);
    if (image) {
      this.images.set(address, image);
      loaded();
    }
  }
}
