/** The dialog "Link": text and address of a link in the active cell. */

import { cellName, parseRange } from "@quadrille/grid";
import type { CellDetails, Command, ItemDetails } from "@quadrille/protocol";
import { createResource, createSignal, Show } from "solid-js";
import { t } from "../language/index.ts";
import { DialogButtons, focusInvalidField, FormField, Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { displayedRanges, notation } from "../settings/index.ts";
import { addressOf } from "./addresses.ts";

interface CellLink {
  readonly details: CellDetails;
  readonly link: ItemDetails | undefined;
}

/** The dialog "Link". */
export function LinkDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const sheet = model.sheetId();
  const { active } = model.selection();
  const name = cellName(active);
  const [cellLink] = createResource(async (): Promise<CellLink> => {
    const [items, details] = await Promise.all([model.items.settled(), model.session.query({ type: "cell", sheet, cell: active })]);
    const isHere = (anchor: string): boolean => {
      const range = parseRange(anchor);
      return range !== undefined && range.top === active.row && range.left === active.column;
    };
    return { details, link: items.find(({ kind, anchors }) => kind === "link" && anchors.some(isHere)) };
  });
  return (
    <Show when={cellLink()}>
      {(loaded) => (
        <Modal isOpen title={t("Link in {cell}", { cell: notation().cell(active) })} onClose={() => model.closeDialog()}>
          <LinkForm model={model} sheet={sheet} cell={name} cellLink={loaded()} />
        </Modal>
      )}
    </Show>
  );
}

function LinkForm(props: { readonly model: WorkbookModel; readonly sheet: number; readonly cell: string; readonly cellLink: CellLink }) {
  const { model, sheet, cell } = props;
  const { details, link } = props.cellLink;
  const before = typeof link?.fields["url"] === "string" ? link.fields["url"] : "";
  const isFormula = details.editText.startsWith("=");
  const [text, setText] = createSignal(details.editText);
  const [address, setAddress] = createSignal(before.startsWith("#") ? before.replace(/[^!]+$/, (cells) => displayedRanges([cells])) : before);
  const [isInvalid, setIsInvalid] = createSignal(false);
  let form!: HTMLFormElement;

  const apply = (): void => {
    const url = addressOf(address(), model.sheets(), sheet, (cells) => notation().parse(cells, model.selection().active));
    if (url === undefined) {
      setIsInvalid(true);
      focusInvalidField(form);
      return;
    }
    const commands: Command[] = [];
    const displayedText = text().trim() === "" ? address().trim() : text();
    if (!isFormula && displayedText !== details.editText) {
      commands.push({ type: "typeText", sheet, cell, text: displayedText });
    }
    commands.push(
      link
        ? { type: "setItem", sheet, item: link.id, fields: { url } }
        : { type: "setItem", sheet, kind: "link", anchors: [cell], fields: { url } },
    );
    model.command({ type: "many", commands });
    model.closeDialog();
  };
  return (
    <form
      ref={form}
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <FormField label={t("Address")} errorText={isInvalid() ? t("This link is not valid.") : undefined}>
        {(attributes) => (
          <input
            {...attributes}
            class="field"
            dir="ltr"
            spellcheck={false}
            autocomplete="off"
            value={address()}
            onInput={(event) => {
              setIsInvalid(false);
              setAddress(event.currentTarget.value);
            }}
          />
        )}
      </FormField>
      <label class="form-label">
        {t("Text")}
        <input class="field" dir="auto" disabled={isFormula} value={text()} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <p class="panel-note">{t("Enter a web address, an email address or cells of this workbook such as Sheet1!B7.")}</p>
      <DialogButtons onCancel={() => model.closeDialog()}>
        <Show when={link}>
          {(existing) => (
            <button
              type="button"
              class="button"
              onClick={() => {
                model.items.remove(existing().id, sheet);
                model.closeDialog();
              }}
            >
              {t("Remove link")}
            </button>
          )}
        </Show>
      </DialogButtons>
    </form>
  );
}
