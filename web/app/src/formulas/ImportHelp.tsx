/** Why a formula such as IMPORTRANGE has no data, and the button that gives it access to a workbook. */

import type { MissingImport } from "@quadrille/protocol";
import { createSignal, Show } from "solid-js";
import { loadAccessApi } from "../access/index.ts";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** Explains a missing import. */
export function ImportHelp(props: { readonly model: WorkbookModel; readonly missing: MissingImport }) {
  const [failure, setFailure] = createSignal<string>();
  const [isBusy, setIsBusy] = createSignal(false);
  const source = () => workbookIn(props.missing.from);
  const canAllow = () => props.missing.state === "noAccess" && source() !== "" && props.model.access.limitedRole() === undefined;
  const allow = async (): Promise<void> => {
    setIsBusy(true);
    setFailure(undefined);
    const { AccessRefused, allowImport } = await loadAccessApi();
    try {
      await allowImport(source(), props.model.room);
    } catch (error) {
      const isUnknown = error instanceof AccessRefused && error.code === "no_such_room";
      setFailure(isUnknown ? t("There is no such workbook, or you cannot view it.") : String(error instanceof Error ? error.message : error));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <>
      <p>{reason(props.missing, source())}</p>
      <Show when={props.missing.details !== ""}>
        <p class="panel-note" dir="auto">
          {props.missing.details}
        </p>
      </Show>
      <Show when={canAllow()}>
        <p class="panel-note">{t("If you can view it, you can allow access. Everybody who opens this workbook will see the imported cells.")}</p>
        <p>
          <button type="button" class="button" disabled={isBusy()} onClick={() => void allow()}>
            {t("Allow access")}
          </button>
        </p>
      </Show>
      <Show when={failure()}>
        <p class="import-failure" role="alert">
          {failure()}
        </p>
      </Show>
    </>
  );
}

function reason(missing: MissingImport, source: string): string {
  switch (missing.state) {
    case "loading":
      return t("The data is being loaded.");
    case "noAccess":
      return t("This workbook has no access to “{name}”, or there is no such workbook.", { name: source === "" ? missing.from : source });
    case "notFound":
      return t("The other workbook has no such sheet, range or name.");
    case "circular":
      return t("The other workbook imports from this one.");
    case "tooLarge":
      return t("This is more data than can be imported.");
    case "notAllowed":
      return t("The server does not allow this source.");
    default:
      return t("The data could not be loaded.");
  }
}

/** The name of the workbook in the first argument, which is a name or an address; empty for neither. */
function workbookIn(from: string): string {
  const path = /^https?:/i.test(from) ? (URL.parse(from)?.pathname ?? "") : from;
  const segment = path.replace(/\/+$/, "").split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(segment.replace(/^=/, ""));
  } catch {
    return "";
  }
}
