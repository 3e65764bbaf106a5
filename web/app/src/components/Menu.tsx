/**
 * Menus. Their buttons are rendered at once; the code that opens them is loaded on first use, and
 * its button then replaces this one.
 */

import { createEffect, createSignal, type JSX, mergeProps, Show } from "solid-js";
import { type PermissionProps, createAvailability } from "./edit-permission.ts";
import type { IconName } from "./Icon.tsx";
import { loadedOverlays, overlaysOnceOpen, afterOverlaysLoad } from "./load-overlays.ts";

/** Properties of `Menu`. */
export interface MenuProps extends PermissionProps {
  readonly label: string;
  /** Content of the button. */
  readonly button: JSX.Element;
  readonly buttonClass?: string;
  readonly children: JSX.Element;
  /** Called to move the focus when the menu has closed. */
  readonly onClosed: () => void;
  readonly isDisabled?: boolean;
}

/** How the menu was opened: by pointer or by a key. */
export type MenuTrigger = "pointer" | "Enter" | " " | "ArrowDown" | "ArrowUp";

/** A button that opens a menu. */
export function Menu(props: MenuProps) {
  const availability = createAvailability(props);
  const [openedBy, setOpenedBy] = createSignal<MenuTrigger>();
  let requested: MenuTrigger | undefined;
  createEffect(() => {
    if (availability.reason() !== undefined) {
      requested = undefined;
      setOpenedBy(undefined);
    }
  });
  const request = (trigger: MenuTrigger): void => {
    requested ??= trigger;
    afterOverlaysLoad(
      () => setOpenedBy(requested),
      () => {
        requested = undefined;
      },
    );
  };
  const openingKey = (key: string): MenuTrigger | undefined =>
    key === "Enter" || key === " " || key === "ArrowDown" || key === "ArrowUp" ? key : undefined;
  return (
    <Show
      when={openedBy()}
      keyed
      fallback={
        <button
          type="button"
          class={props.buttonClass ?? "tool"}
          aria-label={props.label}
          title={availability.hint(props.label)}
          aria-disabled={availability.ariaDisabled()}
          aria-haspopup="true"
          aria-expanded="false"
          disabled={props.isDisabled ?? false}
          onClick={() => availability.run(() => request("pointer"))}
          onKeyDown={(event) => {
            const trigger = openingKey(event.key);
            if (trigger) {
              event.preventDefault();
              event.stopPropagation();
              availability.run(() => request(trigger));
            }
          }}
          // The menu does not open if the focus moves while it is being loaded.
          onBlur={() => {
            requested = undefined;
          }}
        >
          {props.button}
        </button>
      }
    >
      {(trigger) => loadedOverlays().Menu(mergeProps(props, { openedBy: trigger }))}
    </Show>
  );
}

/** Properties of `PointMenu`. */
export interface PointMenuProps {
  readonly label: string;
  readonly at: Pick<DOMRect, "x" | "y"> & Partial<Pick<DOMRect, "width" | "height">> | undefined;
  /** Opens upwards, so that it does not cover its anchor. */
  readonly isAbove?: boolean;
  readonly children: JSX.Element;
  readonly onClose: () => void;
  readonly onClosed: () => void;
}

/** A menu at a point or rectangle of the screen, such as a context menu. */
export function PointMenu(props: PointMenuProps) {
  const overlays = overlaysOnceOpen(() => props.at !== undefined);
  createEffect(() => {
    if (props.at !== undefined) {
      afterOverlaysLoad(
        () => undefined,
        () => {
          props.onClose();
          props.onClosed();
        },
      );
    }
  });
  return <Show when={overlays()}>{(loaded) => loaded().PointMenu(props)}</Show>;
}

/** Properties of `MenuItem`. */
export interface MenuItemProps extends PermissionProps {
  readonly icon?: IconName;
  readonly keys?: string;
  /** Text at the end instead of a key, such as an example of a format. */
  readonly note?: string;
  readonly isDisabled?: boolean;
  readonly isDangerous?: boolean;
  readonly onSelect: () => void;
  readonly children: JSX.Element;
}

/** A menu entry. */
export function MenuItem(props: MenuItemProps) {
  return loadedOverlays().MenuItem(props);
}

/** Properties of `MenuCheck`. */
export interface MenuCheckProps extends PermissionProps {
  /** Icon at the start; the check mark is then at the end. */
  readonly icon?: IconName;
  readonly keys?: string;
  /** Text at the end, such as the affected cells. */
  readonly note?: string | undefined;
  readonly isChecked: boolean;
  readonly onSelect: () => void;
  /** The menu stays open, so that several entries can be chosen. */
  readonly staysOpen?: boolean;
  readonly children: JSX.Element;
}

/** A menu entry with a check mark. */
export function MenuCheck(props: MenuCheckProps) {
  return loadedOverlays().MenuCheck(props);
}

/** A line between groups of entries. */
export function MenuSeparator() {
  return loadedOverlays().MenuSeparator();
}

/** A heading above a group of entries. */
export function MenuHeading(props: { readonly children: JSX.Element }) {
  return <div class="menu-heading">{props.children}</div>;
}
