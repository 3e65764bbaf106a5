/** One image, over the cells or inside of a cell. */

import { contains, parseRange } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";
import { createEffect, createSignal, onCleanup, Show } from "solid-js";
import { roomFetch } from "../access/index.ts";
import { direction, t } from "../language/index.ts";
import { cacheImage } from "../offline/index.ts";
import { Icon, LazyBoundary, lazyComponent } from "../components/index.ts";
import { anchorOf, DrawingFrame, type DrawingPosition, FrameLoadError } from "../drawings/index.ts";
import { editedShape, editShape, focusShape, shapeToFocus } from "../shapes/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { DEFAULT_IMAGE_SIZE, SIZE_MIN } from "./default-size.ts";
import { displayedImage } from "./displayed-image.ts";
import { imageUrl } from "./source.ts";

const ShapeTextEditor = lazyComponent(() => import("../shapes/ShapeTextEditor.tsx").then((module) => module.ShapeTextEditor));

/** Distance between an image in a cell and the borders of the cell. */
const GAP_PX = 2;
/** Delay before an image is requested again; it doubles with every attempt. */
const RETRY_MS = 1_000;
const ATTEMPTS_MAX = 3;

/** The frame of an image item, which may be a shape. */
export function ImageFrame(props: { readonly model: WorkbookModel; readonly item: ItemDetails }) {
  const { model } = props;
  const [failed, setFailed] = createSignal<string>();
  const [attempt, setAttempt] = createSignal(0);
  let timer = 0;
  const url = () => imageUrl(model.room, props.item);
  /** Retries a failed request: whoever inserts an image may upload it after the item is sent. */
  const handleError = (): void => {
    if (attempt() < ATTEMPTS_MAX) {
      timer = window.setTimeout(() => setAttempt((count) => count + 1), RETRY_MS * 2 ** attempt());
    } else {
      setFailed(url());
    }
  };
  const handleLoad = (): void => {
    const address = url();
    if (address !== undefined && !address.startsWith("data:")) {
      void cacheImage(address, (path, init) => roomFetch(model.room, path, init));
    }
  };
  // Images that were inserted offline arrive when their author is online again.
  createEffect(() => {
    if (model.connection().state === "open") {
      setFailed(undefined);
      setAttempt((count) => (count === 0 ? 0 : count + 1));
    }
  });
  onCleanup(() => window.clearTimeout(timer));
  const address = displayedImage(model.room, url, attempt, handleError);
  const alt = () => {
    const text = props.item.fields["altText"];
    return typeof text === "string" ? text : "";
  };
  const isShape = () => props.item.fields["shape"] === true;
  const label = (): string => {
    if (isShape()) {
      return alt() ? t("Shape: {name}", { name: alt() }) : t("Shape");
    }
    return alt() ? t("Image: {name}", { name: alt() }) : t("Image");
  };
  /** A shape is drawn for zoom 1 and scaled: its text would keep its size in a larger image. */
  const scaled = () => {
    const zoom = model.zoom();
    return { width: `${100 / zoom}%`, height: `${100 / zoom}%`, transform: `scale(${zoom})`, "transform-origin": "0 0" };
  };
  const canEditText = () => isShape() && model.status().canEdit;
  const takesFocus = (): boolean => {
    const isIt = shapeToFocus() === props.item.id;
    if (isIt) {
      focusShape(undefined);
    }
    return isIt;
  };
  const isMissing = () => url() === undefined || failed() === url();
  /** The position inside of the cell; merged cells count as one. */
  const inCell = (): DrawingPosition | undefined => {
    const cell = props.item.fields["inCell"] === true && !isShape() ? anchorOf(props.item) : undefined;
    if (!cell) {
      return undefined;
    }
    const merges = model.items.ofKind("merge").flatMap((merge) => parseRange(merge.anchors[0] ?? "") ?? []);
    const merge = merges.find((range) => contains(range, cell));
    const first = model.cellBox(cell)?.box;
    const last = merge ? model.cellBox({ row: merge.bottom, column: merge.right })?.box : first;
    if (!first || !last) {
      return undefined;
    }
    const x = Math.min(first.x, last.x);
    const width = Math.max(first.x + first.width, last.x + last.width) - x;
    const height = last.y + last.height - first.y;
    return {
      x: x + GAP_PX,
      y: first.y + GAP_PX,
      width: Math.max(0, width - 2 * GAP_PX - 1),
      height: Math.max(0, height - 2 * GAP_PX - 1),
    };
  };
  return (
    <DrawingFrame
      model={model}
      item={props.item}
      label={label()}
      panel="image"
      defaultSize={DEFAULT_IMAGE_SIZE}
      minSize={SIZE_MIN}
      keepsProportions={!isShape()}
      fixed={inCell()}
      onEdit={canEditText() ? () => editShape(props.item.id) : undefined}
      takesFocus={takesFocus}
    >
      <Show when={!isMissing()} fallback={<ImageMissing />}>
        <img
          class="drawing-image"
          src={address()}
          style={isShape() ? scaled() : {}}
          alt=""
          loading="lazy"
          decoding="async"
          draggable={false}
          onError={handleError}
          onLoad={handleLoad}
        />
      </Show>
      <Show when={canEditText() && editedShape() === props.item.id}>
        <LazyBoundary failed={(retry) => <FrameLoadError onRetry={retry} />}>
          <ShapeTextEditor model={model} item={props.item} />
        </LazyBoundary>
      </Show>
    </DrawingFrame>
  );
}

function ImageMissing() {
  return (
    <p class="drawing-note" dir={direction()}>
      <Icon name="imageOff" />
      {t("This image cannot be displayed.")}
    </p>
  );
}
