/** The menus behind `../Menu.tsx`. */

import { DropdownMenu } from "@kobalte/core/dropdown-menu";
import { createContext, type JSX, onMount, Show, useContext } from "solid-js";
import { createBlock } from "../edit-permission.ts";
import { afterClosing } from "../focus.ts";
import { Icon } from "../Icon.tsx";
import type { MenuCheckProps, MenuItemProps, MenuLinkProps, MenuProps, PointMenuProps, Press } from "../Menu.tsx";

/** Gives the keyboard back as soon as something is chosen: the menu itself closes a moment later. */
const Chosen = createContext<() => void>(() => undefined);

/** `press` is what was done to the button that stood in for this one. */
export function Menu(props: MenuProps & { readonly press: Press }) {
  let trigger!: HTMLButtonElement;
  onMount(() => {
    const event =
      props.press === "pointer"
        ? new PointerEvent("pointerdown", { button: 0, pointerType: "mouse", bubbles: true, cancelable: true })
        : new KeyboardEvent("keydown", { key: props.press, bubbles: true, cancelable: true });
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

export function PointMenu(props: PointMenuProps) {
  return (
    <Show when={props.at} keyed>
      {(at) => (
        <DropdownMenu
          open
          onOpenChange={(isOpen) => {
            // A menu that has been opened elsewhere by then is another one.
            if (!isOpen && props.at === at) {
              props.onClose();
            }
          }}
          getAnchorRect={() => ({ x: at.x, y: at.y, width: at.width ?? 0, height: at.height ?? 0 })}
          placement={props.isAbove ? "top-start" : "bottom-start"}
          gutter={props.isAbove ? 4 : 0}
          // Where there is no room below it moves up beside the pointer. A finger that holds would have its entries under it.
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
  const chosen = (): void => {
    // What was chosen may have led elsewhere.
    if (content.contains(document.activeElement)) {
      props.onClosed();
    }
  };
  return (
    <DropdownMenu.Portal>
      {/* A landmark: it lies outside of the page's others. */}
      <nav ref={content} aria-label={props.label}>
        <DropdownMenu.Content
          class="menu"
          aria-label={props.label}
          onCloseAutoFocus={(event) => afterClosing(event, props.trigger?.(), () => props.onClosed())}
        >
          <Chosen.Provider value={chosen}>{props.children}</Chosen.Provider>
        </DropdownMenu.Content>
      </nav>
    </DropdownMenu.Portal>
  );
}

/** A finger's click comes after its press, when the menu has gone: what lies below must not hear it. */
function keepClick(event: PointerEvent): void {
  if (event.pointerType !== "touch") {
    return;
  }
  const controller = new AbortController();
  const options = { capture: true, signal: controller.signal };
  const hear = (press: Event): void => {
    // What was chosen may press on a field for files itself.
    if (press.isTrusted) {
      press.preventDefault();
      press.stopPropagation();
      if (press.type === "click") {
        controller.abort();
      }
    }
  };
  // With the first of the two a field below would take the keyboard.
  window.addEventListener("mousedown", hear, options);
  window.addEventListener("click", hear, options);
  window.addEventListener("pointerdown", () => controller.abort(), options);
}

export function MenuItem(props: MenuItemProps) {
  const chosen = useContext(Chosen);
  const block = createBlock(props);
  return (
    <DropdownMenu.Item
      class="menu-item"
      classList={{ "is-dangerous": props.isDangerous ?? false }}
      disabled={props.isDisabled === true || block.reason() !== undefined}
      title={block.reason()}
      onPointerUp={keepClick}
      onSelect={() => {
        props.onSelect();
        chosen();
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

export function MenuCheck(props: MenuCheckProps) {
  const chosen = useContext(Chosen);
  const block = createBlock(props);
  return (
    <DropdownMenu.CheckboxItem
      class="menu-item"
      disabled={block.reason() !== undefined}
      title={block.reason()}
      checked={props.isChecked}
      onPointerUp={keepClick}
      onChange={() => {
        props.onSelect();
        if (!props.staysOpen) {
          chosen();
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

export function MenuLink(props: MenuLinkProps) {
  return (
    <DropdownMenu.Item as="a" class="menu-item" href={props.href} download="" closeOnSelect>
      <span class="menu-icon" />
      <span class="menu-text">{props.children}</span>
      <span class="menu-keys is-note">{props.note}</span>
    </DropdownMenu.Item>
  );
}

export function MenuLine() {
  return <DropdownMenu.Separator class="menu-line" />;
}
