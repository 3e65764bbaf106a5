/** Requests about shapes: the server draws them, and tells the attributes of drawn ones. */

import { roomFetch } from "../access/index.ts";
import { t } from "../language/index.ts";
import { roomApi } from "../rooms/index.ts";

/** Fractions that are cut from the sides of an image. */
export interface Crop {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Attributes of a shape; those of a change, or those that the shape has. */
export interface ShapeAttributes {
  readonly preset?: string;
  readonly text?: string;
  /** A color, or `null` for none. */
  readonly fill?: string | null;
  readonly outline?: string | null;
  /** In pixels. */
  readonly outlineWidth?: number;
  readonly outlineDash?: string;
  readonly startArrow?: boolean;
  readonly endArrow?: boolean;
  /** In points. */
  readonly fontSize?: number;
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly textColor?: string;
  readonly horizontal?: "left" | "center" | "right" | "justify";
  readonly vertical?: "top" | "middle" | "bottom";
  /** Degrees clockwise. */
  readonly rotation?: number;
  readonly flipHorizontal?: boolean;
  readonly flipVertical?: boolean;
  readonly crop?: Crop;
}

/** What can be changed of an image. */
export interface ShapeDescription {
  readonly kind: "shape" | "line" | "picture" | "other";
  readonly attributes: ShapeAttributes;
}

/** What to draw: a new shape, or an image that changes. */
export interface ShapeRequest extends ShapeAttributes {
  readonly image?: string;
  readonly width?: number;
  readonly height?: number;
  readonly altText?: string;
}

/** A drawn shape. */
export interface DrawnShape {
  readonly image: string;
  /** Whether it is a shape; `false` for an image that is neither cropped nor turned any more. */
  readonly shape: boolean;
  readonly width: number;
  readonly height: number;
  /** Distance in pixels by which the item moves. */
  readonly moveX: number;
  readonly moveY: number;
  readonly altText: string | null;
}

/** A shape could not be drawn; the message is localized. */
export class ShapeRejected extends Error {}

/** Draws and stores a shape. Rejects with `ShapeRejected`. */
export async function drawShape(room: string, request: ShapeRequest): Promise<DrawnShape> {
  const sent = roomFetch(room, `${roomApi(room)}/shapes`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  const response = await sent.catch(() => undefined);
  if (!response) {
    throw new ShapeRejected(t("Shapes can only be changed while the server can be reached."));
  }
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok && isDrawnShape(answer)) {
    return answer;
  }
  switch (response.status) {
    case 403:
      throw new ShapeRejected(t("You can view this workbook but not edit it."));
    case 413:
      throw new ShapeRejected(t("The image is too large, or this workbook has reached its limit for images."));
    default:
      throw new ShapeRejected(t("The shape could not be changed. Try again."));
  }
}

function isDrawnShape(answer: unknown): answer is DrawnShape {
  return (
    typeof answer === "object" &&
    answer !== null &&
    "image" in answer &&
    typeof answer.image === "string" &&
    ["width", "height", "moveX", "moveY"].every((name) => typeof Reflect.get(answer, name) === "number")
  );
}

/** Descriptions by the address of the image, which never changes. */
const descriptions = new Map<string, ShapeDescription>();
const DESCRIPTIONS_MAX = 100;

/** What can be changed of an image of a room; `undefined` when the server does not tell. */
export async function readShape(room: string, image: string): Promise<ShapeDescription | undefined> {
  const url = `${roomApi(room)}/shapes/${image}`;
  const known = descriptions.get(url);
  if (known) {
    return known;
  }
  const response = await roomFetch(room, url).catch(() => undefined);
  const answer: unknown = response?.ok ? await response.json().catch(() => undefined) : undefined;
  if (!isDescription(answer)) {
    return undefined;
  }
  if (descriptions.size >= DESCRIPTIONS_MAX) {
    descriptions.clear();
  }
  descriptions.set(url, answer);
  return answer;
}

function isDescription(answer: unknown): answer is ShapeDescription {
  return (
    typeof answer === "object" &&
    answer !== null &&
    "kind" in answer &&
    ["shape", "line", "picture", "other"].includes(String(answer.kind)) &&
    "attributes" in answer &&
    typeof answer.attributes === "object" &&
    answer.attributes !== null
  );
}
