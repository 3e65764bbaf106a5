/** Edits the text of a shape in its place. */

import type { ItemDetails } from "@quadrille/protocol";
import { createEffect, createSignal, onMount, Show } from "solid-js";
import { storedImage } from "../images/index.ts";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { changeShape } from "./change-shape.ts";
import { takeTyping } from "./early-typing.ts";
import { editShape, focusShape } from "./editing.ts";
import { readShape, type ShapeAttributes } from "./shape-api.ts";
import "../style/shapes.css";

const PIXELS_PER_POINT = 96 / 72;
const PLACES = { top: "flex-start", middle: "center", bottom: "flex-end" };

/** A text field over a shape. A shape without a text opens its panel instead. */
export function ShapeTextEditor(props: { readonly model: WorkbookModel; readonly item: ItemDetails }) {
  const { model } = props;
  const [attributes, setAttributes] = createSignal<ShapeAttributes>();
  onMount(() => {
    const image = storedImage(props.item);
    void (image === undefined ? Promise.resolve(undefined) : readShape(model.room, image)).then((description) => {
      if (description?.kind === "shape") {
        setAttributes(description.attributes);
      } else {
        editShape(undefined);
        model.openPanel("image");
      }
    });
  });
  return <Show when={attributes()}>{(known) => <TextField model={model} item={props.item} attributes={known()} />}</Show>;
}

function TextField(props: { readonly model: WorkbookModel; readonly item: ItemDetails; readonly attributes: ShapeAttributes }) {
  const { model } = props;
  const [isSaving, setIsSaving] = createSignal(false);
  let field!: HTMLTextAreaElement;
  const fit = (): void => {
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight}px`;
  };
  onMount(() => {
    const early = takeTyping();
    field.value += early.text;
    fit();
    field.focus({ preventScroll: true });
    field.setSelectionRange(field.value.length, field.value.length);
    if (early.isFinished) {
      void finish(true);
    }
  });
  createEffect(() => {
    model.zoom();
    fit();
  });
  /** Stores the text. After a failure it stays in the field. */
  const finish = async (returnsFocus: boolean): Promise<void> => {
    if (isSaving()) {
      return;
    }
    setIsSaving(true);
    const text = field.value;
    const isDone = text === (props.attributes.text ?? "") || (await changeShape(model, props.item, { text }));
    setIsSaving(false);
    if (isDone) {
      if (returnsFocus) {
        focusShape(props.item.id);
      }
      editShape(undefined);
    }
  };
  /** Without a fill, the text is on the sheet, in its colors. */
  const colors = () => {
    const { fill, textColor } = props.attributes;
    return fill == null ? {} : { background: fill, color: textColor };
  };
  return (
    <div
      class="shape-text-editor"
      style={{ ...colors(), "justify-content": PLACES[props.attributes.vertical ?? "top"], padding: `${4.8 * model.zoom()}px ${9.6 * model.zoom()}px` }}
      on:pointerdown={(event) => event.stopPropagation()}
      on:dblclick={(event) => event.stopPropagation()}
      on:contextmenu={(event) => event.stopPropagation()}
    >
      <textarea
        ref={field}
        rows={1}
        dir="auto"
        maxLength={32_767}
        readOnly={isSaving()}
        aria-label={t("Text of the shape")}
        value={props.attributes.text ?? ""}
        style={{
          "font-size": `${(props.attributes.fontSize ?? 11) * PIXELS_PER_POINT * model.zoom()}px`,
          "font-weight": props.attributes.bold ? "bold" : "normal",
          "font-style": props.attributes.italic ? "italic" : "normal",
          "text-align": props.attributes.horizontal === "left" ? "start" : (props.attributes.horizontal ?? "start"),
        }}
        onInput={fit}
        onBlur={() => void finish(false)}
        on:keydown={(event) => {
          event.stopPropagation();
          if (event.key === "Escape" || (event.key === "Enter" && (event.ctrlKey || event.metaKey))) {
            event.preventDefault();
            void finish(true);
          }
        }}
      />
    </div>
  );
}
