/**
 * The cell styles of the workbook: applying, adding, renaming, redefining and removing them.
 */

import { createSignal, Show } from "solid-js";
import { t } from "../language/index.ts";
import { Icon, KeyedFor } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { BUILTIN_IDS } from "./cell-styles.ts";
import { addStyle, cleanName, type CustomStyle, redefineStyle, removeStyle, renameStyle, STYLE_NAME_MAX, STYLES_MAX } from "./custom-styles.ts";
import { StyleSample } from "./StyleSample.tsx";

/** The custom styles as samples, or as editable rows. */
export function CustomStyles(props: {
  readonly model: WorkbookModel;
  /** All styles of the workbook. Built-in ones are listed where they can be edited. */
  readonly styles: readonly CustomStyle[];
  readonly activeStyle: number | null;
  readonly apply: (id: number) => void;
}) {
  const { model } = props;
  const [isEditing, setIsEditing] = createSignal(false);
  const [name, setName] = createSignal<string>();
  const displayed = (): readonly CustomStyle[] => (isEditing() ? props.styles : props.styles.filter(({ id }) => !BUILTIN_IDS.has(id)));
  const canAdd = (): boolean => model.canType() && props.styles.length < STYLES_MAX;
  const add = (): void => {
    const styleName = cleanName(name() ?? "");
    if (styleName !== "") {
      setName(undefined);
      void addStyle(model, styleName);
    }
  };

  return (
    <>
      <Show when={props.styles.length > 0}>
        <div role="group" aria-label={t("This workbook's styles")}>
          <div class="cell-styles-heading">
            <p class="cell-styles-name" aria-hidden="true">
              {t("This workbook's styles")}
            </p>
            <Show when={model.canType()}>
              <button type="button" class="button is-quiet is-small" aria-pressed={isEditing()} onClick={() => setIsEditing(!isEditing())}>
                {isEditing() ? t("Done") : t("Edit styles")}
              </button>
            </Show>
          </div>
          <Show
            when={isEditing()}
            fallback={
              <div class="cell-styles-samples">
                <KeyedFor each={displayed()} by={({ id }) => id}>
                  {(style) => (
                    <StyleSample
                      name={style().name}
                      format={style().format}
                      isActive={props.activeStyle === style().id}
                      apply={() => props.apply(style().id)}
                    />
                  )}
                </KeyedFor>
              </div>
            }
          >
            <ul class="cell-styles-custom">
              <KeyedFor each={displayed()} by={({ id }) => id}>
                {(style) => <CustomStyleRow model={model} style={style()} />}
              </KeyedFor>
            </ul>
          </Show>
        </div>
      </Show>
      <Show when={canAdd()}>
        <Show
          when={name() !== undefined}
          fallback={
            <button type="button" class="button is-quiet" onClick={() => setName("")}>
              {t("New style from this cell…")}
            </button>
          }
        >
          <form
            class="cell-styles-new"
            onSubmit={(event) => {
              event.preventDefault();
              add();
            }}
          >
            <input
              ref={(field) => queueMicrotask(() => field.focus())}
              class="field"
              dir="auto"
              maxLength={STYLE_NAME_MAX}
              aria-label={t("Style name")}
              placeholder={t("Style name")}
              value={name()}
              onInput={(event) => setName(event.currentTarget.value)}
            />
            <button type="submit" class="button is-main" disabled={cleanName(name() ?? "") === ""}>
              {t("Add")}
            </button>
          </form>
        </Show>
      </Show>
    </>
  );
}

function CustomStyleRow(props: { readonly model: WorkbookModel; readonly style: CustomStyle }) {
  const { model } = props;
  return (
    <li>
      <input
        class="field"
        dir="auto"
        maxLength={STYLE_NAME_MAX}
        aria-label={t("Style name")}
        value={props.style.name}
        readOnly={BUILTIN_IDS.has(props.style.id)}
        onChange={(event) => renameStyle(model, props.style, event.currentTarget.value)}
      />
      <button type="button" class="button" aria-label={t("Update to match cell: {name}", { name: props.style.name })} onClick={() => void redefineStyle(model, props.style)}>
        {t("Update to match cell")}
      </button>
      <button type="button" class="tool is-small" aria-label={t("Remove {name}", { name: props.style.name })} onClick={() => removeStyle(model, props.style)}>
        <Icon name="trash" />
      </button>
    </li>
  );
}
