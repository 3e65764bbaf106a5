/** Pictures on their way into a sheet: from a file, from the clipboard, from another window. */

import { type Cell, cellName } from "@quadrille/grid";
import { t } from "../language/index.ts";
import { storeUnsent } from "../offline/index.ts";
import { roomApi } from "../rooms/index.ts";
import { newItemId, type WorkbookModel } from "../state/index.ts";
import { DEFAULT_IMAGE_SIZE } from "./default-size.ts";
import { IMAGE_TYPES } from "./source.ts";

/** As the server has it: `IMAGE_BYTES_MAX`. */
const BYTES_MAX = 5 * 1_024 * 1_024;
/** Larger ones are made smaller when they are too heavy: more than any screen shows. */
const SIDE_MAX_PX = 2_400;
/** What is drawn anew is a photograph, nearly always. */
const QUALITY = 0.85;
/** Dropped at once. */
const COUNT_MAX = 20;
/** Each one a little further, so that all can be seen. */
const SHIFT_PX = 24;

interface Ready {
  readonly blob: Blob;
  readonly width: number;
  readonly height: number;
}

export function isImage(file: { readonly type: string }): boolean {
  return file.type.startsWith("image/");
}

/** Asks for files and puts them beside the active cell. */
export function chooseImages(model: WorkbookModel): void {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  input.accept = IMAGE_TYPES.join(",");
  input.addEventListener("change", () => void insertImages(model, [...(input.files ?? [])], model.selection().active));
  input.click();
}

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
      const ready = await prepare(file);
      const { source, isPersisted } = await upload(model.room, ready.blob);
      const item = newItemId();
      model.command({
        type: "setItem",
        sheet,
        item,
        kind: "image",
        anchors: [cellName(at)],
        fields: { source, ...fitted(model, ready), offsetX: index * SHIFT_PX, offsetY: index * SHIFT_PX, ...named(file) },
      });
      model.choose(item);
      if (isPersisted) {
        model.toast(t("The image is stored on this device and uploaded when the server can be reached."), false, { icon: "clock" });
      }
    } catch (error) {
      model.toast(error instanceof EditRejected ? error.message : t("The image could not be inserted."), true);
      if (!(error instanceof EditRejected)) {
        console.warn("quadrille: a picture could not be inserted:", error);
      }
      return;
    }
  }
}

/** For the person, in their language. */
class EditRejected extends Error {}

/** What the server takes: as it is where that is possible, drawn anew where it is too heavy or of another kind. */
async function prepare(file: Blob): Promise<Ready> {
  if (file.type === "image/svg+xml") {
    throw new EditRejected(t("SVG images are not accepted because they can contain scripts. Save the image as PNG."));
  }
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (!bitmap) {
    throw new EditRejected(t("This browser cannot read the image."));
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
      throw new EditRejected(t("The image is too large. The limit is {size} MB.", { size: BYTES_MAX / 1_024 / 1_024 }));
    }
    return { blob, width: canvas.width, height: canvas.height };
  } finally {
    bitmap.close();
  }
}

interface Uploaded {
  /** The picture's name. */
  readonly source: string;
  /** The server has yet to get it. */
  readonly isPersisted: boolean;
}

/** Once the server has it, or without a network this browser. */
async function upload(room: string, blob: Blob): Promise<Uploaded> {
  const sent = fetch(`${roomApi(room)}/images`, { method: "POST", body: blob, headers: { "content-type": blob.type } });
  const response = await sent.catch(() => undefined);
  if (!response) {
    const kept = await storeUnsent((name) => `${roomApi(room)}/images/${name}`, blob);
    if (kept === undefined) {
      throw new EditRejected(t("Images can only be inserted while the server can be reached."));
    }
    return { source: kept, isPersisted: true };
  }
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok && typeof answer === "object" && answer !== null && "image" in answer && typeof answer.image === "string") {
    return { source: answer.image, isPersisted: false };
  }
  switch (response.status) {
    case 413:
      throw new EditRejected(t("The image is too large, or this workbook has reached its limit for images."));
    case 415:
      throw new EditRejected(t("Only PNG, JPEG, GIF and WebP images can be inserted."));
    case 403:
      throw new EditRejected(t("You can view this workbook but not edit it."));
    default:
      throw new EditRejected(t("The server rejected the image. Please try again."));
  }
}

/** As large as it is, but not larger than what is in sight. */
function fitted(model: WorkbookModel, { width, height }: Ready): { readonly width: number; readonly height: number } {
  const cells = model.grid?.cellsBox ?? DEFAULT_IMAGE_SIZE;
  const scale = Math.min(1, (cells.width * 0.6) / model.zoom() / width, (cells.height * 0.6) / model.zoom() / height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** A file's name may say what it shows; that of a picture from the clipboard does not. */
function named(file: Blob): Record<string, string> {
  if (!(file instanceof File) || /^image\.\w+$/.test(file.name)) {
    return {};
  }
  const name = file.name.replace(/\.\w+$/, "").replace(/[-_]+/g, " ").trim();
  return name === "" ? {} : { altText: name };
}
