/** The frame of one thing over the cells: where it lies, and how it is chosen, moved, resized and removed. */

import type { ItemDetails } from "@quadrille/protocol";
import { createEffect, createMemo, createSignal, type JSX, on, onCleanup, Show } from "solid-js";
import type { WorkbookModel } from "../state/index.ts";
import type { PanelName } from "../workbook/index.ts";
import { anchored, anchorOf, isMirrored, isSamePlace, type DrawingPosition, positionOf, type Size } from "./drawing-position.ts";
import "../style/drawings.css";

const STEP_PX = 10;
/** A change of place that was refused is forgotten after this time. */
const SETTLE_MS = 1_500;

export interface FrameProps {
  readonly model: WorkbookModel;
  readonly item: ItemDetails;
  readonly label: string;
  /** What opens with Enter, a double click or the other button. */
  readonly panel: PanelName;
  readonly usualSize: Size;
  readonly leastSize: Size;
  readonly keepsProportions?: boolean;
  /** It fills this and cannot be moved on its own. */
  readonly fixed?: DrawingPosition | undefined;
  /** Told after the frame has its size. */
  readonly onSize?: (size: Size) => void;
  readonly children: JSX.Element;
}

export function DrawingFrame(props: FrameProps) {
  const { model } = props;
  /** While it is dragged, and until the engine has told that it lies there. */
  const [dragged, setDragged] = createSignal<DrawingPosition>();
  let settleTimer = 0;
  let frame!: HTMLDivElement;

  const place = (): DrawingPosition | undefined => props.fixed ?? positionOf(model, props.item, props.usualSize);
  const isSelected = () => model.chosen() === props.item.id;
  const canMove = () => model.status().canEdit && props.fixed === undefined;

  createEffect(() => {
    const at = dragged() ?? place();
    if (at) {
      frame.style.transform = `translate(${Math.round(at.x)}px, ${Math.round(at.y)}px)`;
      frame.style.width = `${at.width}px`;
      frame.style.height = `${at.height}px`;
      props.onSize?.(at);
    }
    frame.hidden = at === undefined;
  });

  /** Keys may come faster than answers: the next step starts where this one leads. */
  const moveTo = (to: DrawingPosition): void => {
    setDragged(to);
    window.clearTimeout(settleTimer);
    settleTimer = window.setTimeout(() => setDragged(undefined), SETTLE_MS);
    const at = anchored(model, to);
    if (at) {
      model.command({ type: "setItem", sheet: model.sheetId(), item: props.item.id, ...at });
    }
  };

  createEffect(() => {
    const [wanted, at] = [dragged(), place()];
    if (settleTimer !== 0 && wanted && at && isSamePlace(wanted, at)) {
      window.clearTimeout(settleTimer);
      settleTimer = 0;
      setDragged(undefined);
    }
  });
  onCleanup(() => window.clearTimeout(settleTimer));

  /** `wider`: away from the corner that stays, which in a sheet from right to left is the right one. */
  const resized = (from: DrawingPosition, wider: number, taller: number): DrawingPosition => {
    const { leastSize } = props;
    let width = Math.max(leastSize.width, from.width + wider);
    let height = Math.max(leastSize.height, from.height + taller);
    if (props.keepsProportions) {
      const least = Math.max(leastSize.width / from.width, leastSize.height / from.height);
      const [byWidth, byHeight] = [(from.width + wider) / from.width, (from.height + taller) / from.height];
      // The direction that was pulled further decides.
      const scale = Math.max(least, Math.abs(byWidth - 1) >= Math.abs(byHeight - 1) ? byWidth : byHeight);
      width = from.width * scale;
      height = from.height * scale;
    }
    return { ...from, x: isMirrored(model) ? from.x + from.width - width : from.x, width, height };
  };

  const drag = (event: PointerEvent, resizes: boolean): void => {
    // As with keys: from where the last change leads.
    const from = dragged() ?? place();
    if (event.button !== 0 || !from) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    frame.focus();
    model.choose(props.item.id);
    if (!canMove()) {
      return;
    }
    const target = event.currentTarget as HTMLElement;
    target.setPointerCapture(event.pointerId);
    const cells = model.grid?.cellsBox;
    const move = (moved: PointerEvent): void => {
      const dx = moved.clientX - event.clientX;
      const dy = moved.clientY - event.clientY;
      if (resizes) {
        setDragged(resized(from, isMirrored(model) ? -dx : dx, dy));
      } else if (dragged() || Math.hypot(dx, dy) > 3) {
        // Its corner stays over cells, so that it can be taken hold of again.
        const xMax = isMirrored(model) && cells ? cells.x + cells.width - from.width : Number.POSITIVE_INFINITY;
        const xMin = isMirrored(model) ? Number.NEGATIVE_INFINITY : (cells?.x ?? 0);
        setDragged({ ...from, x: Math.min(xMax, Math.max(xMin, from.x + dx)), y: Math.max(cells?.y ?? 0, from.y + dy) });
      }
    };
    const end = (): void => {
      target.removeEventListener("pointermove", move);
      const to = dragged();
      if (to) {
        moveTo(to);
      }
    };
    target.addEventListener("pointermove", move);
    target.addEventListener("pointerup", end, { once: true });
    target.addEventListener("pointercancel", end, { once: true });
  };

  const reveal = (): void => {
    const [at, anchor] = [place(), anchorOf(props.item)];
    if (at && anchor) {
      model.grid?.revealBox(anchor, at);
    }
  };

  /** By the keyboard one comes to what is out of sight, too. */
  const revealUnseen = (): void => {
    const [at, cells] = [place(), model.grid?.cellsBox];
    const isSeen =
      at && cells && at.x < cells.x + cells.width && at.x + at.width > cells.x && at.y < cells.y + cells.height && at.y + at.height > cells.y;
    if (!isSeen) {
      reveal();
    }
  };

  // The panel takes room from the sheet, on a phone half of it: what it is about stays in sight. Who scrolls on is let be.
  const roomPx = createMemo(() => {
    model.layout();
    const cells = model.grid?.cellsBox;
    return model.panel() === props.panel && place() && cells ? `${cells.width} ${cells.height}` : undefined;
  });
  createEffect(
    on(roomPx, (room) => {
      if (room !== undefined && isSelected()) {
        reveal();
      }
    }),
  );

  const key = (event: KeyboardEvent): void => {
    const at = dragged() ?? place();
    const step = ARROWS[event.key];
    if (event.key === "Escape") {
      model.choose(undefined);
      model.focusCells();
    } else if (event.key === "Enter") {
      model.openPanel(props.panel);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      model.items.remove(props.item.id);
      model.choose(undefined);
      model.focusCells();
    } else if (step && at && canMove()) {
      const [dx, dy] = [step[0] * STEP_PX, step[1] * STEP_PX];
      moveTo(
        event.shiftKey
          ? resized(at, isMirrored(model) ? -dx : dx, dy)
          : { ...at, x: at.x + dx, y: at.y + dy },
      );
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div
      ref={frame}
      class={`over-frame is-${props.item.kind}`}
      classList={{ "is-selected": isSelected(), "is-fixed": props.fixed !== undefined }}
      role="figure"
      aria-label={props.label}
      tabIndex={0}
      onFocus={() => {
        model.choose(props.item.id);
        revealUnseen();
      }}
      // Not delegated to the document: the grid below listens on its element and must not hear these.
      on:keydown={key}
      on:pointerdown={(event) => {
        event.stopPropagation();
        drag(event, false);
      }}
      on:dblclick={(event) => {
        event.stopPropagation();
        model.openPanel(props.panel);
      }}
      on:contextmenu={(event) => {
        event.preventDefault();
        event.stopPropagation();
        model.choose(props.item.id);
        model.openPanel(props.panel);
      }}
    >
      {props.children}
      <Show when={isSelected() && canMove()}>
        <span
          class="over-grip"
          classList={{ "is-mirrored": isMirrored(model) }}
          aria-hidden="true"
          on:pointerdown={(event) => drag(event, true)}
        />
      </Show>
    </div>
  );
}

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
