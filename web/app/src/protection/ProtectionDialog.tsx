/** The dialog "Protected cells": adding, editedId and removing protection. */

import { parseRange, rangeName } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";
import { createSignal, For, Show } from "solid-js";
import { t } from "../language/index.ts";
import { focusInvalidField, FormField, Icon, Modal } from "../components/index.ts";
import { isChartSheet } from "../sheets/index.ts";
import { newItemId, type WorkbookModel } from "../state/index.ts";
import { displayedRanges, storedRange } from "../settings/index.ts";
import { textOf } from "../validation/index.ts";
import { chosenEditors, EditorChoice, NOBODY, selectionOf } from "./EditorChoice.tsx";
import { editorsOf, editorText } from "./editors.ts";
import { isOpenTo } from "./protection.ts";
import { editorNames } from "./protection-texts.ts";

/** The dialog "Protected cells". */
export function ProtectionDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const protectedRanges = () => model.items.ofKind("protectedRange");
  const [editedId, setEditedId] = createSignal<number>();
  const [isSheet, setIsSheet] = createSignal(isChartSheet(model));
  const [cells, setCells] = createSignal(displayedRanges(model.selection().ranges.map(rangeName)));
  const [exceptions, setExceptions] = createSignal("");
  const [description, setDescription] = createSignal("");
  const [isWarning, setIsWarning] = createSignal(false);
  const [editors, setEditors] = createSignal(NOBODY);
  const [errorText, setErrorText] = createSignal<string>();
  const [addressError, setAddressError] = createSignal<string>();
  let form!: HTMLFormElement;

  const choose = (wholeSheet: boolean): void => {
    setIsSheet(wholeSheet);
    setErrorText(undefined);
  };
  const anchors = (): readonly string[] =>
    (isSheet() ? exceptions() : cells())
      .split(/[\s,;]+/)
      .filter((name) => name !== "")
      .map((name) => storedRange(name, model.selection().active));
  const save = (): void => {
    const names = anchors();
    const invalid = names.find((name) => parseRange(name) === undefined);
    if (invalid !== undefined || (!isSheet() && names.length === 0)) {
      setErrorText(invalid === undefined ? t("Enter a value.") : t("Not a valid cell reference: {text}", { text: invalid }));
      focusInvalidField(form);
      return;
    }
    setErrorText(undefined);
    const { access, identity } = model;
    const chosen = isWarning() ? [] : chosenEditors(editors(), access.identification.person(), identity().name);
    setAddressError(chosen ? undefined : t("Enter e-mail addresses, separated by commas."));
    if (!chosen) {
      focusInvalidField(form);
      return;
    }
    model.command({
      type: "setItem",
      sheet: model.sheetId(),
      item: editedId() ?? newItemId(),
      kind: "protectedRange",
      anchors: [...names],
      fields: {
        wholeSheet: isSheet() ? true : null,
        description: description().trim() === "" ? null : description().trim(),
        warningOnly: isWarning() ? true : null,
        editors: chosen.length === 0 ? null : chosen.map(editorText),
      },
    });
    setEditedId(undefined);
    setDescription("");
    setEditors(NOBODY);
  };
  const edit = (item: ItemDetails): void => {
    const isWholeSheet = item.fields["wholeSheet"] === true;
    setEditedId(item.id);
    setErrorText(undefined);
    setIsSheet(isWholeSheet);
    (isWholeSheet ? setExceptions : setCells)(displayedRanges(item.anchors));
    setDescription(textOf(item.fields["description"]));
    setIsWarning(item.fields["warningOnly"] === true);
    setEditors(selectionOf(editorsOf(item), model.access.identification.person()));
    setAddressError(undefined);
  };
  /** Only the editors that a protection names may change or remove it. */
  const canChange = (item: ItemDetails): boolean => model.canType() && (editorsOf(item).length === 0 || item.fields["warningOnly"] === true || isOpenTo(item, model.access.identification.person()));
  const detailsOf = (item: ItemDetails): string =>
    [
      textOf(item.fields["description"]),
      item.fields["warningOnly"] === true ? t("warning only") : editorsOf(item).length > 0 ? t("Only these people can edit: {people}.", { people: editorNames(editorsOf(item)) }) : "",
    ]
      .filter((text) => text !== "")
      .join(" · ");
  const nameOf = ({ anchors: ranges, fields }: ItemDetails): string =>
    fields["wholeSheet"] !== true
      ? displayedRanges(ranges)
      : ranges.length === 0
        ? t("Whole sheet")
        : t("Whole sheet except {cells}", { cells: displayedRanges(ranges) });

  return (
    <Modal isOpen title={t("Protected cells")} onClose={() => model.closeDialog()}>
      <p class="form-hint">
        {t("Protection prevents accidental changes: everyone who can edit this workbook can remove it here, and the history shows who did. If you restrict who can edit, it also holds against people.")}
      </p>
      <ul class="names" aria-label={t("Protected ranges and sheets")}>
        <For each={protectedRanges()} fallback={<li class="names-none">{t("Nothing on this sheet is protected.")}</li>}>
          {(item) => (
            <li>
              <span class="names-go">
                <strong>
                  <bdi>{nameOf(item)}</bdi>
                </strong>
                <span>
                  <bdi>{detailsOf(item)}</bdi>
                </span>
              </span>
              <Show when={canChange(item)}>
                <button type="button" class="button is-quiet" aria-label={t("Change {name}", { name: nameOf(item) })} onClick={() => edit(item)}>
                  {t("Change")}
                </button>
                <button
                  type="button"
                  class="button is-quiet"
                  aria-label={t("Remove protection of {name}", { name: nameOf(item) })}
                  onClick={() => model.items.remove(item.id)}
                >
                  <Icon name="lock" />
                  {t("Remove protection")}
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
          <Show when={!isChartSheet(model)}>
            <fieldset class="choices">
              <legend>{t("Protect")}</legend>
              <label class="check">
                <input type="radio" name="what" checked={!isSheet()} onChange={() => choose(false)} />
                {t("These cells")}
              </label>
              <label class="check">
                <input type="radio" name="what" checked={isSheet()} onChange={() => choose(true)} />
                {t("Whole sheet")}
              </label>
            </fieldset>
          </Show>
          <Show when={!isSheet()}>
            <FormField label={t("Cells")} errorText={errorText()}>
              {(attributes) => <input {...attributes} class="field" dir="ltr" value={cells()} onInput={(event) => setCells(event.currentTarget.value)} />}
            </FormField>
          </Show>
          <Show when={isSheet() && !isChartSheet(model)}>
            <FormField label={t("Except certain cells")} errorText={errorText()}>
              {(attributes) => <input {...attributes} class="field" dir="ltr" placeholder={displayedRanges(["B2:B9"])} value={exceptions()} onInput={(event) => setExceptions(event.currentTarget.value)} />}
            </FormField>
          </Show>
          <label class="form-label">
            {t("Description")}
            <input class="field" dir="auto" maxLength={255} value={description()} onInput={(event) => setDescription(event.currentTarget.value)} />
          </label>
          <label class="check">
            <input type="checkbox" checked={isWarning()} onChange={(event) => setIsWarning(event.currentTarget.checked)} />
            {t("Show a warning when editing")}
          </label>
          <Show when={!isWarning()}>
            <EditorChoice model={model} selection={editors()} errorText={addressError()} onChange={setEditors} />
          </Show>
          <div class="modal-buttons">
            <button type="submit" class="button is-main">
              {editedId() === undefined ? t("Protect") : t("Apply")}
            </button>
          </div>
        </form>
      </Show>
    </Modal>
  );
}
