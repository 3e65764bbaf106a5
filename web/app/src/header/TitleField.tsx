/** The workbook's name at the top of the page, to be typed over by those who may change it. */

import { isRightToLeftText } from "@quadrille/grid";
import { createEffect, createSignal, Show } from "solid-js";
import { t } from "../language/index.ts";
import { roomTitle, TITLE_MAX } from "../rooms/index.ts";
import type { WorkbookModel } from "../state/index.ts";

export function TitleField(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  return (
    <h1 title={model.room} dir="auto">
      <Show when={model.canType()} fallback={<span class="title-text">{model.title.shown()}</span>}>
        <Field model={model} />
      </Show>
    </h1>
  );
}

function Field(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  let field!: HTMLInputElement;
  const [typed, setTyped] = createSignal<string>();
  const shown = () => typed() ?? model.title.given() ?? "";
  /** What others call it meanwhile does not take away what is being typed. */
  createEffect(() => {
    if (field.value !== shown()) {
      field.value = shown();
    }
  });
  const keep = (): void => {
    const title = typed();
    setTyped(undefined);
    if (title !== undefined) {
      model.title.rename(title);
    }
  };
  return (
    <>
      {/* As wide as what is typed. */}
      <span class="title-text is-measure" aria-hidden="true">
        {shown() || roomTitle(model.room)}
      </span>
      <input
        ref={field}
        class="title-field"
        // Of what stands in an empty field nobody but us sees which way it is read.
        dir={shown() !== "" ? "auto" : isRightToLeftText(roomTitle(model.room)) ? "rtl" : "ltr"}
        aria-label={t("Name of the workbook")}
        placeholder={roomTitle(model.room)}
        maxLength={TITLE_MAX}
        autocomplete="off"
        spellcheck={false}
        enterkeyhint="done"
        onFocus={(event) => event.currentTarget.select()}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={keep}
        onKeyDown={(event) => {
          if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) {
            return;
          }
          event.preventDefault();
          event.stopPropagation();
          if (event.key === "Escape") {
            setTyped(undefined);
          }
          // What is typed is kept when the field is left.
          model.focusCells();
        }}
      />
    </>
  );
}
