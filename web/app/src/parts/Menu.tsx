/** Menus as the page uses them, on Kobalte's headless parts. */

import { DropdownMenu } from "@kobalte/core/dropdown-menu";
import { type JSX, Show } from "solid-js";
import { afterClosing } from "./focus.ts";
import { Icon, type IconName } from "./Icon.tsx";

export interface MenuProps {
  readonly label: string;
  /** What the button shows. */
  readonly button: JSX.Element;
  readonly buttonClass?: string;
  readonly children: JSX.Element;
  /** Where focus goes when the menu closes. */
  readonly onClosed: () => void;
  readonly isDisabled?: boolean;
}

export function Menu(props: MenuProps) {
  return (
    <DropdownMenu gutter={4} modal={false} placement="bottom-start" fitViewport>
      <DropdownMenu.Trigger
        class={props.buttonClass ?? "tool"}
        aria-label={props.label}
        title={props.label}
        disabled={props.isDisabled ?? false}
      >
        {props.button}
      </DropdownMenu.Trigger>
      <MenuContent label={props.label} onClosed={props.onClosed}>
        {props.children}
      </MenuContent>
    </DropdownMenu>
  );
}

/** A menu at a point of the screen, as a right click opens it. */
export function PointMenu(props: {
  readonly label: string;
  readonly at: { readonly x: number; readonly y: number } | undefined;
  readonly children: JSX.Element;
  readonly onClose: () => void;
  readonly onClosed: () => void;
}) {
  return (
    <Show when={props.at} keyed>
      {(at) => (
        <DropdownMenu
          open
          onOpenChange={(isOpen) => {
            if (!isOpen) {
              props.onClose();
            }
          }}
          getAnchorRect={() => ({ x: at.x, y: at.y, width: 0, height: 0 })}
          placement="bottom-start"
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

function MenuContent(props: { readonly label: string; readonly onClosed: () => void; readonly children: JSX.Element }) {
  return (
    <DropdownMenu.Portal>
      {/* A landmark: it lies outside of the page's others. */}
      <nav aria-label={props.label}>
        <DropdownMenu.Content
          class="menu"
          aria-label={props.label}
          onCloseAutoFocus={(event) => afterClosing(event, () => props.onClosed())}
        >
          {props.children}
        </DropdownMenu.Content>
      </nav>
    </DropdownMenu.Portal>
  );
}

export function MenuItem(props: {
  readonly icon?: IconName;
  readonly keys?: string;
  /** Stands where the key would, for example a format's example. */
  readonly note?: string;
  readonly isDisabled?: boolean;
  readonly isDangerous?: boolean;
  readonly onSelect: () => void;
  readonly children: JSX.Element;
}) {
  return (
    <DropdownMenu.Item
      class="menu-item"
      classList={{ "is-dangerous": props.isDangerous ?? false }}
      disabled={props.isDisabled ?? false}
      onSelect={() => props.onSelect()}
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

/** What is on or off. */
export function MenuCheck(props: {
  readonly isChecked: boolean;
  readonly onSelect: () => void;
  /** Several may be wanted at once. */
  readonly staysOpen?: boolean;
  readonly children: JSX.Element;
}) {
  return (
    <DropdownMenu.CheckboxItem class="menu-item" checked={props.isChecked} onChange={() => props.onSelect()} closeOnSelect={!(props.staysOpen ?? false)}>
      <span class="menu-icon">
        <Show when={props.isChecked}>
          <Icon name="check" />
        </Show>
      </span>
      <span class="menu-text">{props.children}</span>
    </DropdownMenu.CheckboxItem>
  );
}

export function MenuLink(props: { readonly href: string; readonly children: JSX.Element; readonly note?: string }) {
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

export function MenuHeading(props: { readonly children: JSX.Element }) {
  return <div class="menu-heading">{props.children}</div>;
}
