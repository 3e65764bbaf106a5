/** The implementation of `../Menu.tsx`. */

import { DropdownMenu } from "@kobalte/core/dropdown-menu";
import { createContext, type JSX, onMount, Show, useContext } from "solid-js";
import { createAvailability } from "../edit-permission.ts";
import { restoreFocus } from "../focus.ts";
import { Icon } from "../Icon.tsx";
import type { MenuCheckProps, MenuItemProps, MenuProps, PointMenuProps, MenuTrigger } from "../Menu.tsx";

/** Moves the focus back as soon as an entry is onChosen; the menu itself closes a moment later. */
const ChosenContext = createContext<() => void>(() => undefined);

/** A menu that opens at once; `openedBy` is the trigger of the button that it replaces. */
export function Menu(props: MenuProps & { readonly openedBy: MenuTrigger }) {
  let trigger!: HTMLButtonElement;
  onMount(() => {
    const event =
      props.openedBy === "pointer"
        ? new PointerEvent("pointerdown", { button: 0, pointerType: "mouse", bubbles: true, cancelable: true })
        : new KeyboardEvent("keydown", { key: props.openedBy, bubbles: true, cancelable: true });
    trigger.focus({ preventScroll: true });
    trigger.dispatchEvent(event);
  });
  return (
    <DropdownMenu gutter={4} modal={false} placement="bottom-start" fitViewport>
      <DropdownMenu.Trigger
        ref={trigger}
        class={props.buttonClass ?? "tool"}
        aria-label={props.label}
        title={props.label}
        disabled={props.isDisabled ?? false}
      >
        {props.button}
      </DropdownMenu.Trigger>
      <MenuContent label={props.label} trigger={() => trigger} onClosed={props.onClosed}>
        {props.children}
      </MenuContent>
    </DropdownMenu>
  );
}

/** A menu at a point or rectangle of the screen. */
export function PointMenu(props: PointMenuProps) {
  return (
    <Show when={props.at} keyed>
      {(at) => (
        <DropdownMenu
          open
          onOpenChange={(isOpen) => {
            // The menu may have been opened elsewhere in the meantime.
            if (!isOpen && props.at === at) {
              props.onClose();
            }
          }}
          getAnchorRect={() => ({ x: at.x, y: at.y, width: at.width ?? 0, height: at.height ?? 0 })}
          placement={props.isAbove ? "top-start" : "bottom-start"}
          gutter={props.isAbove ? 4 : 0}
          // Without space below, the menu moves up beside the pointer. Not on touch screens, where
          // the finger would be over its entries.
          overlap={!props.isAbove && matchMedia("(pointer: fine)").matches}
          modal={false}
          fitViewport
        >
          <MenuContent label={props.label} onClosed={props.onClosed}>
            {props.children}
          </MenuContent>
        </DropdownMenu>
      )}
    </Show>
  );
}

function MenuContent(props: { readonly label: string; readonly trigger?: () => HTMLElement; readonly onClosed: () => void; readonly children: JSX.Element }) {
  let content!: HTMLElement;
  const onChosen = (): void => {
    // What was onChosen may have led elsewhere.
    if (content.contains(document.activeElement)) {
      props.onClosed();
    }
  };
  return (
    <DropdownMenu.Portal>
      {/* A landmark, as the portal is outside of the other landmarks. */}
      <nav ref={content} aria-label={props.label}>
        <DropdownMenu.Content
          class="menu"
          aria-label={props.label}
          // The key that chooses an entry must not also reach the field that gets the focus then.
          on:keydown={(event: KeyboardEvent) => {
            if (event.key === "Enter" || event.key === " ") {
              event.preventDefault();
            }
          }}
          onCloseAutoFocus={(event) => restoreFocus(event, props.trigger?.(), () => props.onClosed())}
        >
          <ChosenContext.Provider value={onChosen}>{props.children}</ChosenContext.Provider>
        </DropdownMenu.Content>
      </nav>
    </DropdownMenu.Portal>
  );
}

/**
 * Suppresses the click that follows a touch: it comes after the menu has closed and would hit the
 * element below.
 */
function suppressClick(event: PointerEvent): void {
  if (event.pointerType !== "touch") {
    return;
  }
  const controller = new AbortController();
  const options = { capture: true, signal: controller.signal };
  const suppress = (press: Event): void => {
    // The onChosen action may click on a file field itself.
    if (press.isTrusted) {
      press.preventDefault();
      press.stopPropagation();
      if (press.type === "click") {
        controller.abort();
      }
    }
  };
  // `mousedown` would focus a field below.
  window.addEventListener("mousedown", suppress, options);
  window.addEventListener("click", suppress, options);
  window.addEventListener("pointerdown", () => controller.abort(), options);
}

/** Whether the last press on an entry has had its `pointerup`, by which the entry is chosen. */
let isReleased = false;

/**
 * Chooses an entry whose press had no pointer events: after a right click, WebKit reports the next
 * press by mouse events alone.
 */
function chooseByClick(event: MouseEvent & { readonly currentTarget: HTMLElement }): void {
  if (event.isTrusted && event.detail > 0 && !isReleased) {
    event.currentTarget.dispatchEvent(new PointerEvent("pointerup", { button: 0, pointerType: "mouse", bubbles: true }));
  }
}

/** A menu entry. */
export function MenuItem(props: MenuItemProps) {
  const onChosen = useContext(ChosenContext);
  const availability = createAvailability(props);
  return (
    <DropdownMenu.Item
      class="menu-item"
      classList={{ "is-dangerous": props.isDangerous ?? false }}
      disabled={props.isDisabled === true || availability.reason() !== undefined}
      title={availability.reason()}
      onMouseDown={() => (isReleased = false)}
      onPointerUp={(event) => {
        isReleased = true;
        suppressClick(event);
      }}
      onClick={chooseByClick}
      onSelect={() => {
        props.onSelect();
        onChosen();
      }}
    >
      <span class="menu-icon">
        <Show when={props.icon}>{(name) => <Icon name={name()} />}</Show>
      </span>
      <span class="menu-text">{props.children}</span>
      <Show when={props.keys}>
        <kbd class="menu-keys">{props.keys}</kbd>
      </Show>
      <Show when={props.note}>
        <span class="menu-keys is-note">{props.note}</span>
      </Show>
    </DropdownMenu.Item>
  );
}

/** A menu entry with a check mark. */
export function MenuCheck(props: MenuCheckProps) {
  const onChosen = useContext(ChosenContext);
  const availability = createAvailability(props);
  return (
    <DropdownMenu.CheckboxItem
      class="menu-item"
      disabled={availability.reason() !== undefined}
      title={availability.reason()}
      checked={props.isChecked}
      onMouseDown={() => (isReleased = false)}
      onPointerUp={(event) => {
        isReleased = true;
        suppressClick(event);
      }}
      onClick={chooseByClick}
      onChange={() => {
        props.onSelect();
        if (!props.staysOpen) {
          onChosen();
        }
      }}
      closeOnSelect={!(props.staysOpen ?? false)}
    >
      <span class="menu-icon">
        <Show when={props.icon ?? (props.isChecked ? "check" : undefined)}>{(name) => <Icon name={name()} />}</Show>
      </span>
      <span class="menu-text">{props.children}</span>
      <Show when={props.keys}>
        <kbd class="menu-keys">{props.keys}</kbd>
      </Show>
      <Show when={props.note}>
        <span class="menu-keys is-note">{props.note}</span>
      </Show>
      <Show when={props.icon && props.isChecked}>
        <Icon name="check" />
      </Show>
    </DropdownMenu.CheckboxItem>
  );
}

/** A line between groups of entries. */
export function MenuSeparator() {
  return <DropdownMenu.Separator class="menu-separator" />;
}
