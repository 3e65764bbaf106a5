/** One picture: over the cells, or fitted into the cell that it belongs to. */

import { contains, parseRange } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";
import { createEffect, createSignal, onCleanup, Show } from "solid-js";
import { direction, t } from "../language/index.ts";
import { cacheImage } from "../offline/index.ts";
import { Icon } from "../components/index.ts";
import { anchorOf, DrawingFrame, type DrawingPosition } from "../drawings/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { DEFAULT_IMAGE_SIZE, SIZE_MIN } from "./default-size.ts";
import { imageUrl } from "./source.ts";

/** Between the picture and the lines of its cell. */
const GAP_PX = 2;
/** A picture that is not there yet is asked for again after this time, then after twice as long. */
const RETRY_MS = 1_000;
const ATTEMPTS_MAX = 3;

export function ImageFrame(props: { readonly model: WorkbookModel; readonly item: ItemDetails }) {
  const { model } = props;
  const [failed, setFailed] = createSignal<string>();
  const [attempt, setAttempt] = createSignal(0);
  let timer = 0;
  const url = () => imageUrl(model.room, props.item);
  /** Who puts a file into the room may send what is in the cells first. */
  const missed = (): void => {
    if (attempt() < ATTEMPTS_MAX) {
      timer = window.setTimeout(() => setAttempt((count) => count + 1), RETRY_MS * 2 ** attempt());
    } else {
      setFailed(url());
    }
  };
  const shown = (): void => {
    const address = url();
    if (address !== undefined && !address.startsWith("data:")) {
      void cacheImage(address);
    }
  };
  // A picture that was put in without a network comes when whoever did it is back.
  createEffect(() => {
    if (model.connection().state === "open") {
      setFailed(undefined);
      setAttempt((count) => (count === 0 ? 0 : count + 1));
    }
  });
  onCleanup(() => window.clearTimeout(timer));
  const address = () => (attempt() === 0 ? url() : `${url()}?attempt=${attempt()}`);
  const alt = () => {
    const text = props.item.fields["altText"];
    return typeof text === "string" ? text : "";
  };
  const isMissing = () => url() === undefined || failed() === url();
  /** Cells that are merged are one. */
  const inCell = (): DrawingPosition | undefined => {
    const cell = props.item.fields["inCell"] === true ? anchorOf(props.item) : undefined;
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
      label={alt() ? t("Image: {name}", { name: alt() }) : t("Image")}
      panel="image"
      defaultSize={DEFAULT_IMAGE_SIZE}
      minSize={SIZE_MIN}
      keepsProportions
      fixed={inCell()}
    >
      <Show when={!isMissing()} fallback={<Missing />}>
        <img class="over-image" src={address()} alt="" loading="lazy" decoding="async" draggable={false} onError={missed} onLoad={shown} />
      </Show>
    </DrawingFrame>
  );
}

function Missing() {
  return (
    <p class="over-note" dir={direction()}>
      <Icon name="pictureOff" />
      {t("This image cannot be displayed.")}
    </p>
  );
}
