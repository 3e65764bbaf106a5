/** The attributes of a shape or an image in its panel. Each change is applied at once for everybody. */

import type { ItemDetails } from "@quadrille/protocol";
import { createEffect, createMemo, For, type JSX, Match, onCleanup, onMount, Show, Switch } from "solid-js";
import { type Message, t } from "../language/index.ts";
import { createAvailability, ToolButton } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { changeShape } from "./change-shape.ts";
import { CropFields } from "./CropFields.tsx";
import type { ShapeAttributes, ShapeDescription } from "./shape-api.ts";
import { createShapeDescription } from "./shape-description.ts";
import "../style/shapes.css";

/** Colors of a fill or an outline that gets one. */
const FILL_DEFAULT = "#ffffff";
const OUTLINE_DEFAULT = "#000000";
const TEXT_LENGTH_MAX = 32_767;

interface PartProps {
  readonly attributes: ShapeAttributes;
  readonly onChange: (change: ShapeAttributes) => void;
}

/** What can be changed of the image of an item: a shape, a line or a picture. */
export function ShapeSettings(props: { readonly model: WorkbookModel; readonly item: ItemDetails; readonly onKind: (kind: ShapeDescription["kind"] | undefined) => void }) {
  const { model } = props;
  const description = createShapeDescription(model, () => props.item);
  createEffect(() => props.onKind(description()?.kind));
  onCleanup(() => props.onKind(undefined));
  const availability = createAvailability({ needsServer: true });
  // A memo, so that an update with the same values does not overwrite the text being typed.
  const attributes = createMemo(() => description()?.attributes ?? {});
  const change = (attributes: ShapeAttributes): void => void changeShape(model, props.item, attributes);
  return (
    <Show
      when={description()}
      fallback={
        <Show when={description() === null} fallback={<p class="panel-note">{t("Loading…")}</p>}>
          <p class="panel-note">{availability.reason() ?? t("Shapes can only be changed while the server can be reached.")}</p>
        </Show>
      }
    >
      {(known) => (
        <fieldset class="shape-settings form" disabled={availability.reason() !== undefined}>
          <Show when={availability.reason()}>{(reason) => <p class="panel-note">{reason()}</p>}</Show>
          <Switch>
            <Match when={known().kind === "other"}>
              <p class="panel-note">{t("This shape comes from an imported file. Its text and colours stay as they are.")}</p>
            </Match>
            <Match when={known().kind === "picture"}>
              <CropFields attributes={attributes()} onChange={change} />
              <RotationFields attributes={attributes()} onChange={change} />
            </Match>
            <Match when={known().kind === "line"}>
              <OutlineFields attributes={attributes()} onChange={change} />
              <ArrowheadFields attributes={attributes()} onChange={change} />
              <RotationFields attributes={attributes()} onChange={change} />
            </Match>
            <Match when={known().kind === "shape"}>
              <TextFields attributes={attributes()} onChange={change} />
              <ColorChoice
                label={t("Fill colour")}
                none={t("No fill")}
                color={attributes().fill}
                otherwise={FILL_DEFAULT}
                onChange={(fill) => change({ fill })}
              />
              <OutlineFields attributes={attributes()} onChange={change} />
              <RotationFields attributes={attributes()} onChange={change} />
            </Match>
          </Switch>
        </fieldset>
      )}
    </Show>
  );
}

function TextFields(props: PartProps) {
  let field!: HTMLTextAreaElement;
  // Enter on a shape opens the panel to edit the text, and the title has the focus then.
  onMount(() => {
    const panel = field.closest(".panel");
    if (panel && document.activeElement === panel.querySelector("h2")) {
      field.focus();
    }
  });
  const toggle = (name: "bold" | "italic"): void => props.onChange({ [name]: !props.attributes[name] });
  return (
    <>
      <label class="form-label">
        {t("Text")}
        <textarea
          ref={field}
          class="field is-tall"
          dir="auto"
          rows={4}
          maxLength={TEXT_LENGTH_MAX}
          value={props.attributes.text ?? ""}
          onChange={(event) => props.onChange({ text: event.currentTarget.value })}
        />
      </label>
      <div class="form-pair">
        <NumberField label={t("Font size")} value={props.attributes.fontSize} min={1} max={400} step={0.5} onChange={(fontSize) => props.onChange({ fontSize })} />
        <label class="form-label">
          {t("Text colour")}
          <input
            class="field is-color"
            type="color"
            value={props.attributes.textColor ?? OUTLINE_DEFAULT}
            onChange={(event) => props.onChange({ textColor: event.currentTarget.value })}
          />
        </label>
      </div>
      <div class="shape-tools">
        <ToolGroup label={t("Text format")}>
          <ToolButton icon="bold" label={t("Bold")} isPressed={props.attributes.bold === true} needsServer onPress={() => toggle("bold")} />
          <ToolButton icon="italic" label={t("Italic")} isPressed={props.attributes.italic === true} needsServer onPress={() => toggle("italic")} />
        </ToolGroup>
        <ToolGroup label={t("Horizontal alignment")}>
          <For each={HORIZONTAL}>
            {([horizontal, icon, name]) => (
              <ToolButton
                icon={icon}
                label={t(name)}
                isPressed={props.attributes.horizontal === horizontal}
                needsServer
                onPress={() => props.onChange({ horizontal })}
              />
            )}
          </For>
        </ToolGroup>
        <ToolGroup label={t("Vertical alignment")}>
          <For each={VERTICAL}>
            {([vertical, icon, name]) => (
              <ToolButton icon={icon} label={t(name)} isPressed={props.attributes.vertical === vertical} needsServer onPress={() => props.onChange({ vertical })} />
            )}
          </For>
        </ToolGroup>
      </div>
    </>
  );
}

const HORIZONTAL = [
  ["left", "alignLeft", "Align left"],
  ["center", "alignCenter", "Align centre"],
  ["right", "alignRight", "Align right"],
] as const;

const VERTICAL = [
  ["top", "alignTop", "Top"],
  ["middle", "alignMiddle", "Middle"],
  ["bottom", "alignBottom", "Bottom"],
] as const;

function ToolGroup(props: { readonly label: string; readonly children: JSX.Element }) {
  return (
    <div class="shape-tool-group" role="group" aria-label={props.label}>
      {props.children}
    </div>
  );
}

/** A color, or none. */
function ColorChoice(props: {
  readonly label: string;
  readonly none: string;
  /** `undefined` for what is neither, such as a gradient. */
  readonly color: string | null | undefined;
  readonly otherwise: string;
  readonly onChange: (color: string | null) => void;
}) {
  return (
    <div class="form-pair">
      <label class="form-label">
        {props.label}
        <input class="field is-color" type="color" value={props.color ?? props.otherwise} onChange={(event) => props.onChange(event.currentTarget.value)} />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={props.color === null}
          onChange={(event) => props.onChange(event.currentTarget.checked ? null : props.otherwise)}
        />
        {props.none}
      </label>
    </div>
  );
}

function OutlineFields(props: PartProps) {
  return (
    <>
      <ColorChoice
        label={t("Outline colour")}
        none={t("No outline")}
        color={props.attributes.outline}
        otherwise={OUTLINE_DEFAULT}
        onChange={(outline) => props.onChange({ outline })}
      />
      <Show when={props.attributes.outline !== null}>
        <div class="form-pair">
          <NumberField label={t("Outline width")} value={props.attributes.outlineWidth} min={0.25} max={100} step={0.25} onChange={(outlineWidth) => props.onChange({ outlineWidth })} />
          <label class="form-label">
            {t("Outline style")}
            <select class="field" onChange={(event) => props.onChange({ outlineDash: event.currentTarget.value })}>
              <For each={dashes(props.attributes.outlineDash)}>
                {([dash, name]) => (
                  <option value={dash} selected={dash === (props.attributes.outlineDash ?? "solid")}>
                    {t(name)}
                  </option>
                )}
              </For>
            </select>
          </label>
        </div>
      </Show>
    </>
  );
}

const DASHES: readonly (readonly [string, Message])[] = [
  ["solid", "Solid"],
  ["dash", "Dashed"],
  ["sysDot", "Dotted"],
  ["dashDot", "Dash dot"],
];

/** The styles of an outline, with that of an imported shape by the name of the one like it. */
function dashes(own: string | undefined): readonly (readonly [string, Message])[] {
  if (own === undefined || DASHES.some(([dash]) => dash === own)) {
    return DASHES;
  }
  const name: Message = own === "dot" ? "Dotted" : own.endsWith("DotDot") ? "Dash dot dot" : own.endsWith("Dot") ? "Dash dot" : "Dashed";
  return [...DASHES, [own, name]];
}

function ArrowheadFields(props: PartProps) {
  return (
    <>
      <label class="check">
        <input type="checkbox" checked={props.attributes.startArrow === true} onChange={(event) => props.onChange({ startArrow: event.currentTarget.checked })} />
        {t("Arrow at the start")}
      </label>
      <label class="check">
        <input type="checkbox" checked={props.attributes.endArrow === true} onChange={(event) => props.onChange({ endArrow: event.currentTarget.checked })} />
        {t("Arrow at the end")}
      </label>
    </>
  );
}

function RotationFields(props: PartProps) {
  const rotation = () => props.attributes.rotation ?? 0;
  return (
    <>
      <NumberField label={t("Rotation in degrees")} value={rotation()} min={-360} max={360} step={1} onChange={(degrees) => props.onChange({ rotation: degrees })} />
      <div class="shape-buttons">
        <button type="button" class="button" onClick={() => props.onChange({ rotation: (rotation() + 270) % 360 })}>
          {t("Rotate 90° left")}
        </button>
        <button type="button" class="button" onClick={() => props.onChange({ rotation: (rotation() + 90) % 360 })}>
          {t("Rotate 90° right")}
        </button>
        <button type="button" class="button" onClick={() => props.onChange({ flipHorizontal: props.attributes.flipHorizontal !== true })}>
          {t("Flip horizontally")}
        </button>
        <button type="button" class="button" onClick={() => props.onChange({ flipVertical: props.attributes.flipVertical !== true })}>
          {t("Flip vertically")}
        </button>
      </div>
    </>
  );
}

function NumberField(props: {
  readonly label: string;
  readonly value: number | undefined;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly onChange: (value: number) => void;
}) {
  return (
    <label class="form-label">
      {props.label}
      <input
        class="field"
        type="number"
        min={props.min}
        max={props.max}
        step={props.step}
        value={props.value ?? ""}
        onChange={(event) => {
          const value = event.currentTarget.valueAsNumber;
          if (value >= props.min && value <= props.max) {
            props.onChange(value);
          } else {
            event.currentTarget.value = String(props.value ?? "");
          }
        }}
      />
    </label>
  );
}
