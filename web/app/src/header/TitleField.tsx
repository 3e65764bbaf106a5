/** The title of the workbook in the header, editable with edit permission. */

import { isRightToLeftText } from "@quadrille/grid";
import { createEffect, createSignal, Show } from "solid-js";
import { t } from "../language/index.ts";
import { roomTitle, TITLE_MAX } from "../rooms/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** The title as text or as a field. */
export function TitleField(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  return (
    <h1 title={model.room} dir="auto">
      <Show when={model.canType()} fallback={<span class="title-text">{model.title.displayed()}</span>}>
        <Field model={model} />
      </Show>
    </h1>
  );
}

function Field(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  let field!: HTMLInputElement;
  const [typed, setTyped] = createSignal<string>();
  const displayed = () => typed() ?? model.title.given() ?? "";
  /** Changes by others do not overwrite the text being typed. */
  createEffect(() => {
    if (field.value !== displayed()) {
      field.value = displayed();
    }
  });
  const save = (): void => {
    const title = typed();
    setTyped(undefined);
    if (title !== undefined) {
      model.title.rename(title);
    }
  };
  return (
    <>
      {/* Gives the field the width of its text. */}
      <span class="title-text is-measure" aria-hidden="true">
        {displayed() || roomTitle(model.room)}
      </span>
      <input
        ref={field}
        class="title-field"
        // `auto` does not consider placeholders.
        dir={displayed() !== "" ? "auto" : isRightToLeftText(roomTitle(model.room)) ? "rtl" : "ltr"}
        aria-label={t("Workbook name")}
        placeholder={roomTitle(model.room)}
        maxLength={TITLE_MAX}
        autocomplete="off"
        spellcheck={false}
        enterkeyhint="done"
        onFocus={(event) => event.currentTarget.select()}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={save}
        onKeyDown={(event) => {
          if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) {
            return;
          }
          event.preventDefault();
          event.stopPropagation();
          if (event.key === "Escape") {
            setTyped(undefined);
          }
          // Leaving the field saves the text.
          model.focusCells();
        }}
      />
    </>
  );
}
