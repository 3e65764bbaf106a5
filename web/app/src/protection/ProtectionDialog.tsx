/** Cells and sheets that are protected: make, change, open again. */

import { parseRange, rangeName } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";
import { createSignal, For, Show } from "solid-js";
import { t } from "../language/index.ts";
import { focusInvalidField, FormField, Icon, Modal } from "../components/index.ts";
import { newItemId, type WorkbookModel } from "../state/index.ts";
import { displayedRanges, storedRange } from "../settings/index.ts";
import { textOf } from "../validation/index.ts";

export function ProtectionDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const known = () => model.items.ofKind("protectedRange");
  const [changing, setChanging] = createSignal<number>();
  const [isWhole, setIsWhole] = createSignal(false);
  const [cells, setCells] = createSignal(displayedRanges(model.selection().ranges.map(rangeName)));
  const [open, setOpen] = createSignal("");
  const [description, setDescription] = createSignal("");
  const [isWarning, setIsWarning] = createSignal(false);
  const [errorText, setProblem] = createSignal<string>();
  let form!: HTMLFormElement;

  const choose = (whole: boolean): void => {
    setIsWhole(whole);
    setProblem(undefined);
  };
  const anchors = (): readonly string[] =>
    (isWhole() ? open() : cells())
      .split(/[\s,;]+/)
      .filter((name) => name !== "")
      .map((name) => storedRange(name, model.selection().active));
  const save = (): void => {
    const names = anchors();
    const wrong = names.find((name) => parseRange(name) === undefined);
    if (wrong !== undefined || (!isWhole() && names.length === 0)) {
      setProblem(wrong === undefined ? t("Enter a value.") : t("Not a valid cell reference: {text}", { text: wrong }));
      focusInvalidField(form);
      return;
    }
    setProblem(undefined);
    model.command({
      type: "setItem",
      sheet: model.sheetId(),
      item: changing() ?? newItemId(),
      kind: "protectedRange",
      anchors: [...names],
      fields: {
        wholeSheet: isWhole() ? true : null,
        description: description().trim() === "" ? null : description().trim(),
        warningOnly: isWarning() ? true : null,
      },
    });
    setChanging(undefined);
    setDescription("");
  };
  const change = (item: ItemDetails): void => {
    const isWholeSheet = item.fields["wholeSheet"] === true;
    setChanging(item.id);
    setProblem(undefined);
    setIsWhole(isWholeSheet);
    (isWholeSheet ? setOpen : setCells)(displayedRanges(item.anchors));
    setDescription(textOf(item.fields["description"]));
    setIsWarning(item.fields["warningOnly"] === true);
  };
  const nameOf = ({ anchors: found, fields }: ItemDetails): string =>
    fields["wholeSheet"] !== true
      ? displayedRanges(found)
      : found.length === 0
        ? t("The whole sheet")
        : t("The whole sheet but {cells}", { cells: displayedRanges(found) });

  return (
    <Modal isOpen title={t("Protected cells")} onClose={() => model.closeDialog()}>
      <p class="form-hint">
        {t("Protection prevents accidental changes. Everyone who can edit this workbook can remove it here; the history shows who did.")}
      </p>
      <ul class="names" aria-label={t("Protected ranges and sheets")}>
        <For each={known()} fallback={<li class="names-none">{t("Nothing on this sheet is protected.")}</li>}>
          {(item) => (
            <li>
              <span class="names-go">
                <strong>
                  <bdi>{nameOf(item)}</bdi>
                </strong>
                <span>
                  <bdi>{textOf(item.fields["description"])}</bdi>
                  {textOf(item.fields["description"]) !== "" && item.fields["warningOnly"] === true ? " · " : ""}
                  {item.fields["warningOnly"] === true ? t("warning only") : ""}
                </span>
              </span>
              <Show when={model.canType()}>
                <button type="button" class="button is-quiet" aria-label={t("Change {name}", { name: nameOf(item) })} onClick={() => change(item)}>
                  {t("Change")}
                </button>
                <button
                  type="button"
                  class="button is-quiet"
                  aria-label={t("Unprotect {name}", { name: nameOf(item) })}
                  onClick={() => model.items.remove(item.id)}
                >
                  <Icon name="lock" />
                  {t("Unprotect")}
                </button>
              </Show>
            </li>
          )}
        </For>
      </ul>
      <Show when={model.canType()}>
        <form
          ref={form}
          class="form"
          onSubmit={(event) => {
            event.preventDefault();
            save();
          }}
        >
          <fieldset class="choices">
            <legend>{t("Protect")}</legend>
            <label class="check">
              <input type="radio" name="what" checked={!isWhole()} onChange={() => choose(false)} />
              {t("These cells")}
            </label>
            <label class="check">
              <input type="radio" name="what" checked={isWhole()} onChange={() => choose(true)} />
              {t("The whole sheet")}
            </label>
          </fieldset>
          <Show
            when={isWhole()}
            fallback={
              <FormField label={t("Cells")} errorText={errorText()}>
                {(marks) => <input {...marks} class="field" dir="ltr" value={cells()} onInput={(event) => setCells(event.currentTarget.value)} />}
              </FormField>
            }
          >
            <FormField label={t("Except certain cells")} errorText={errorText()}>
              {(marks) => <input {...marks} class="field" dir="ltr" placeholder={displayedRanges(["B2:B9"])} value={open()} onInput={(event) => setOpen(event.currentTarget.value)} />}
            </FormField>
          </Show>
          <label class="form-line">
            {t("Description")}
            <input class="field" dir="auto" maxLength={255} value={description()} onInput={(event) => setDescription(event.currentTarget.value)} />
          </label>
          <label class="check">
            <input type="checkbox" checked={isWarning()} onChange={(event) => setIsWarning(event.currentTarget.checked)} />
            {t("Show a warning when editing")}
          </label>
          <div class="modal-buttons">
            <button type="submit" class="button is-main">
              {changing() === undefined ? t("Protect") : t("Apply")}
            </button>
          </div>
        </form>
      </Show>
    </Modal>
  );
}
