/** Inserts images from files, the clipboard, or drag and drop. */

import { type Cell, cellName } from "@quadrille/grid";
import { roomFetch } from "../access/index.ts";
import { t } from "../language/index.ts";
import { storeUnsent } from "../offline/index.ts";
import { roomApi } from "../rooms/index.ts";
import { newItemId, type WorkbookModel } from "../state/index.ts";
import { DEFAULT_IMAGE_SIZE } from "./default-size.ts";
import { IMAGE_TYPES } from "./source.ts";

/** Size limit, equal to `IMAGE_BYTES_MAX` of the server. */
const BYTES_MAX = 5 * 1_024 * 1_024;
/** Maximum side length of images that are scaled down because of their size in bytes. */
const SIDE_MAX_PX = 2_400;
/** Quality of re-encoded images, which are mostly photographs. */
const QUALITY = 0.85;
/** Maximum number of images inserted at once. */
const COUNT_MAX = 20;
/** Offset between images that are inserted together. */
const SHIFT_PX = 24;

interface PreparedImage {
  readonly blob: Blob;
  readonly width: number;
  readonly height: number;
}

/** Whether a file is an image. */
export function isImage(file: { readonly type: string }): boolean {
  return file.type.startsWith("image/");
}

/** Opens a file picker and inserts the images at the active cell. */
export function chooseImages(model: WorkbookModel): void {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  input.accept = IMAGE_TYPES.join(",");
  input.addEventListener("change", () => void insertImages(model, [...(input.files ?? [])], model.selection().active));
  input.click();
}

/** Inserts images at a cell; failures are shown as toasts. */
export async function insertImages(model: WorkbookModel, files: readonly Blob[], at: Cell): Promise<void> {
  if (!model.canType()) {
    model.toast(t("You can view this workbook but not edit it."), true);
    return;
  }
  if (files.length > COUNT_MAX) {
    model.toast(t("Only the first {count} images were inserted.", { count: COUNT_MAX }), false, { icon: "info" });
  }
  const sheet = model.sheetId();
  for (const [index, file] of files.slice(0, COUNT_MAX).entries()) {
    try {
      const image = await prepare(file);
      const { source, isStoredLocally } = await upload(model.room, image.blob);
      const item = newItemId();
      model.command({
        type: "setItem",
        sheet,
        item,
        kind: "image",
        anchors: [cellName(at)],
        fields: { source, ...fittedSize(model, image), offsetX: index * SHIFT_PX, offsetY: index * SHIFT_PX, ...altTextOf(file) },
      });
      model.selectItem(item);
      if (isStoredLocally) {
        model.toast(t("The image is stored on this device and uploaded when the server can be reached."), false, { icon: "clock" });
      }
    } catch (error) {
      model.toast(error instanceof ImageRejected ? error.message : t("The image could not be inserted."), true);
      if (!(error instanceof ImageRejected)) {
        console.warn("quadrille: an image could not be inserted:", error);
      }
      return;
    }
  }
}

/** The image was rejected; the message is localized. */
class ImageRejected extends Error {}

/**
 * Prepares an image for upload: re-encodes and scales it when it is too large or of another type.
 * Rejects with `ImageRejected`.
 */
async function prepare(file: Blob): Promise<PreparedImage> {
  if (file.type === "image/svg+xml") {
    throw new ImageRejected(t("SVG images are not accepted because they can contain scripts. Save the image as PNG."));
  }
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (!bitmap) {
    throw new ImageRejected(t("This browser cannot read the image."));
  }
  const { width, height } = bitmap;
  try {
    if (IMAGE_TYPES.includes(file.type) && file.size <= BYTES_MAX) {
      return { blob: file, width, height };
    }
    const scale = Math.min(1, SIDE_MAX_PX / Math.max(width, height));
    const canvas = new OffscreenCanvas(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)));
    canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    const blob = await canvas.convertToBlob({ type: "image/webp", quality: QUALITY });
    if (blob.size > BYTES_MAX) {
      throw new ImageRejected(t("The image is too large. The limit is {size} MB.", { size: BYTES_MAX / 1_024 / 1_024 }));
    }
    return { blob, width: canvas.width, height: canvas.height };
  } finally {
    bitmap.close();
  }
}

interface Uploaded {
  /** The name of the image, or a hash. */
  readonly source: string;
  /** The image is stored on this device and not uploaded yet. */
  readonly isStoredLocally: boolean;
}

/** Uploads an image, or stores it on this device while offline. */
async function upload(room: string, blob: Blob): Promise<Uploaded> {
  const sent = roomFetch(room, `${roomApi(room)}/images`, { method: "POST", body: blob, headers: { "content-type": blob.type } });
  const response = await sent.catch(() => undefined);
  if (!response) {
    const stored = await storeUnsent((name) => `${roomApi(room)}/images/${name}`, blob);
    if (stored === undefined) {
      throw new ImageRejected(t("Images can only be inserted while the server can be reached."));
    }
    return { source: stored, isStoredLocally: true };
  }
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok && typeof answer === "object" && answer !== null && "image" in answer && typeof answer.image === "string") {
    return { source: answer.image, isStoredLocally: false };
  }
  switch (response.status) {
    case 413:
      throw new ImageRejected(t("The image is too large, or this workbook has reached its limit for images."));
    case 415:
      throw new ImageRejected(t("Only PNG, JPEG, GIF and WebP images can be inserted."));
    case 403:
      throw new ImageRejected(t("You can view this workbook but not edit it."));
    default:
      throw new ImageRejected(t("The server rejected the image. Try again."));
  }
}

/** The size of the image, limited to the visible area. */
function fittedSize(model: WorkbookModel, { width, height }: PreparedImage): { readonly width: number; readonly height: number } {
  const cells = model.grid?.cellsBox ?? DEFAULT_IMAGE_SIZE;
  const scale = Math.min(1, (cells.width * 0.6) / model.zoom() / width, (cells.height * 0.6) / model.zoom() / height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** The file name as alternative text; images from the clipboard have none. */
function altTextOf(file: Blob): Record<string, string> {
  if (!(file instanceof File) || /^image\.\w+$/.test(file.name)) {
    return {};
  }
  const name = file.name.replace(/\.\w+$/, "").replace(/[-_]+/g, " ").trim();
  return name === "" ? {} : { altText: name };
}
