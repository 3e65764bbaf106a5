/**
 * The frame of a drawing (chart or image) over the cells: selecting, moving, resizing and removing
 * it.
 */

import type { ItemDetails } from "@quadrille/protocol";
import { createEffect, createMemo, createSignal, type JSX, on, onCleanup, Show } from "solid-js";
import { Icon, PointMenu } from "../components/index.ts";
import { t } from "../language/index.ts";
import { isDashboard, isPresenting } from "../presentation/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import type { PanelName } from "../workbook/index.ts";
import { anchorFor, anchorOf, isRightToLeft, isSamePosition, type DrawingPosition, positionOf, type Size } from "./drawing-position.ts";
import "../style/drawings.css";

const STEP_PX = 10;
/** Time after which an unconfirmed position is discarded. */
const SETTLE_MS = 1_500;

/** Properties of `DrawingFrame`. */
export interface FrameProps {
  readonly model: WorkbookModel;
  readonly item: ItemDetails;
  readonly label: string;
  /** The panel that Enter, without `onEdit` a double click and, without `menu`, the secondary button open. */
  readonly panel: PanelName;
  /** The entries of the menu, which a button and the secondary button open. */
  readonly menu?: () => JSX.Element;
  readonly defaultSize: Size;
  readonly minSize: Size;
  readonly keepsProportions?: boolean;
  /** Whether moving down does not change the row of the anchor, so that rows can be hidden. */
  readonly keepsRow?: boolean;
  /** A position given by cells or by the whole sheet; the drawing cannot be moved. */
  readonly fixed?: DrawingPosition | undefined;
  /** Whether the drawing is shown instead of the cells of the sheet. */
  readonly isOwnSheet?: boolean;
  /** Called when the size of the frame has changed. */
  readonly onSize?: (size: Size) => void;
  /** Edits the drawing in its place; F2 and a double click call it. */
  readonly onEdit?: (() => void) | undefined;
  /** Whether the drawing gets the focus now. */
  readonly takesFocus?: () => boolean;
  readonly children: JSX.Element;
}

/** A drawing over the cells that can be selected, moved and resized. */
export function DrawingFrame(props: FrameProps) {
  const { model } = props;
  /** The position during a drag, and until the engine has confirmed it. */
  const [dragged, setDragged] = createSignal<DrawingPosition>();
  const [menuAt, setMenuAt] = createSignal<Pick<DOMRect, "x" | "y"> & Partial<DOMRect>>();
  let settleTimer = 0;
  let frame!: HTMLDivElement;

  const position = (): DrawingPosition | undefined => props.fixed ?? positionOf(model, props.item, props.defaultSize);
  const isSelected = () => model.selectedItem() === props.item.id;
  /** Whether a key or a drag should not change it by accident. */
  const isOnlyShown = () => isDashboard(model) || isPresenting();
  // A presentation has neither menus nor panels.
  const menu = () => (isPresenting() ? undefined : props.menu);
  const openPanel = (): void => {
    if (!isPresenting()) {
      model.openPanel(props.panel);
    }
  };
  const edit = (): void => {
    if (props.onEdit && !isOnlyShown()) {
      model.selectItem(props.item.id);
      props.onEdit();
    } else {
      openPanel();
    }
  };
  const canMove = () => model.status().canEdit && props.fixed === undefined && !isOnlyShown();

  createEffect(() => {
    const at = dragged() ?? position();
    if (at) {
      frame.style.transform = `translate(${Math.round(at.x)}px, ${Math.round(at.y)}px)`;
      frame.style.width = `${at.width}px`;
      frame.style.height = `${at.height}px`;
      props.onSize?.(at);
    }
    frame.hidden = at === undefined;
  });

  /**
   * Moves the drawing. The next step starts from the new position, as keys can come faster than
   * confirmations.
   */
  const moveTo = (to: DrawingPosition): void => {
    setDragged(to);
    window.clearTimeout(settleTimer);
    settleTimer = window.setTimeout(() => setDragged(undefined), SETTLE_MS);
    const at = anchorFor(model, to, props.keepsRow ? anchorOf(props.item)?.row : undefined);
    if (at) {
      model.command({ type: "setItem", sheet: model.sheetId(), item: props.item.id, ...at });
    }
  };

  createEffect(() => {
    const [target, at] = [dragged(), position()];
    if (settleTimer !== 0 && target && at && isSamePosition(target, at)) {
      window.clearTimeout(settleTimer);
      settleTimer = 0;
      setDragged(undefined);
    }
  });
  onCleanup(() => window.clearTimeout(settleTimer));
  createEffect(() => {
    if (props.takesFocus?.()) {
      frame.focus();
    }
  });

  /**
   * The position after resizing. The corner opposite of the handle stays: in a right-to-left sheet
   * the top right one.
   */
  const resized = (from: DrawingPosition, deltaWidth: number, deltaHeight: number): DrawingPosition => {
    const { minSize } = props;
    let width = Math.max(minSize.width, from.width + deltaWidth);
    let height = Math.max(minSize.height, from.height + deltaHeight);
    if (props.keepsProportions) {
      const minScale = Math.max(minSize.width / from.width, minSize.height / from.height);
      const [byWidth, byHeight] = [(from.width + deltaWidth) / from.width, (from.height + deltaHeight) / from.height];
      // The direction that was dragged further determines the scale.
      const scale = Math.max(minScale, Math.abs(byWidth - 1) >= Math.abs(byHeight - 1) ? byWidth : byHeight);
      width = from.width * scale;
      height = from.height * scale;
    }
    return { ...from, x: isRightToLeft(model) ? from.x + from.width - width : from.x, width, height };
  };

  const drag = (event: PointerEvent, resizes: boolean): void => {
    // From the unconfirmed position, if there is one.
    const from = dragged() ?? position();
    if (event.button !== 0 || !from) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    frame.focus();
    model.selectItem(props.item.id);
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
        setDragged(resized(from, isRightToLeft(model) ? -dx : dx, dy));
      } else if (dragged() || Math.hypot(dx, dy) > 3) {
        // The corner stays over cells, so that the drawing can be dragged again.
        const xMax = isRightToLeft(model) && cells ? cells.x + cells.width - from.width : Number.POSITIVE_INFINITY;
        const xMin = isRightToLeft(model) ? Number.NEGATIVE_INFINITY : (cells?.x ?? 0);
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
    const [at, anchor] = [position(), anchorOf(props.item)];
    if (at && anchor && !props.isOwnSheet) {
      model.grid?.revealBox(anchor, at);
    }
  };

  /** Scrolls to the drawing when it gets the focus outside of the visible area. */
  const revealIfOutside = (): void => {
    const [at, cells] = [position(), model.grid?.cellsBox];
    const isVisible =
      at && cells && at.x < cells.x + cells.width && at.x + at.width > cells.x && at.y < cells.y + cells.height && at.y + at.height > cells.y;
    if (!isVisible) {
      reveal();
    }
  };

  // The panel takes space from the sheet, on a phone half of it, so the sheet scrolls to the
  // drawing once.
  const spacePx = createMemo(() => {
    model.layout();
    const cells = model.grid?.cellsBox;
    return model.panel() === props.panel && position() && cells ? `${cells.width} ${cells.height}` : undefined;
  });
  createEffect(
    on(spacePx, (space) => {
      if (space !== undefined && isSelected()) {
        reveal();
      }
    }),
  );

  const handleKey = (event: KeyboardEvent): void => {
    const at = dragged() ?? position();
    const step = ARROWS[event.key];
    if (event.key === "Escape") {
      model.selectItem(undefined);
      model.focusCells();
    } else if (event.key === "Enter") {
      openPanel();
    } else if (event.key === "F2" && props.onEdit) {
      edit();
    } else if ((event.key === "Delete" || event.key === "Backspace") && !isOnlyShown()) {
      model.items.remove(props.item.id);
      model.selectItem(undefined);
      model.focusCells();
    } else if (step && at && canMove()) {
      const [dx, dy] = [step[0] * STEP_PX, step[1] * STEP_PX];
      moveTo(
        event.shiftKey
          ? resized(at, isRightToLeft(model) ? -dx : dx, dy)
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
      class={`drawing-frame is-${props.item.kind}`}
      classList={{ "is-selected": isSelected(), "is-fixed": props.fixed !== undefined, "is-own-sheet": props.isOwnSheet ?? false }}
      role="figure"
      aria-label={props.label}
      tabIndex={0}
      onFocus={() => {
        model.selectItem(props.item.id);
        revealIfOutside();
      }}
      // Not delegated to the document: the grid listens on an ancestor and must not receive these
      // events.
      on:keydown={handleKey}
      on:pointerdown={(event) => {
        event.stopPropagation();
        drag(event, false);
      }}
      on:dblclick={(event) => {
        event.stopPropagation();
        edit();
      }}
      on:contextmenu={(event) => {
        event.preventDefault();
        event.stopPropagation();
        model.selectItem(props.item.id);
        if (menu()) {
          setMenuAt({ x: event.clientX, y: event.clientY });
        } else {
          openPanel();
        }
      }}
    >
      {props.children}
      <Show when={menu()}>
        {(entries) => (
          <>
            <button
              type="button"
              class="tool is-small drawing-menu"
              classList={{ "is-rtl": isRightToLeft(model) }}
              aria-label={t("Options of {name}", { name: props.label })}
              title={t("Options of {name}", { name: props.label })}
              aria-haspopup="menu"
              aria-expanded={menuAt() !== undefined}
              // The frame neither moves nor opens its panel.
              on:pointerdown={(event) => event.stopPropagation()}
              on:dblclick={(event) => event.stopPropagation()}
              on:keydown={(event) => {
                if (event.key !== "Escape") {
                  event.stopPropagation();
                }
              }}
              onClick={(event) => {
                model.selectItem(props.item.id);
                setMenuAt(event.currentTarget.getBoundingClientRect());
              }}
            >
              <Icon name="more" />
            </button>
            <PointMenu
              label={props.label}
              at={menuAt()}
              onClose={() => setMenuAt(undefined)}
              onClosed={() => (frame.isConnected ? frame.focus({ preventScroll: true }) : model.focusCells())}
            >
              {entries()()}
            </PointMenu>
          </>
        )}
      </Show>
      <Show when={isSelected() && canMove()}>
        <span
          class="drawing-handle"
          classList={{ "is-rtl": isRightToLeft(model) }}
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
