/** What the grid tells screen readers, in the reader's language. */

import type { GridWords } from "@quadrille/grid";
import { t } from "../language/language.ts";

export function gridWords(): GridWords {
  return {
    row: t("Row"),
    checked: t("checked"),
    notChecked: t("not checked"),
    hasComments: t("has comments"),
    fromList: t("chosen from a list"),
    isInvalid: t("not allowed by its rule"),
    isHere: (name) => t("{name} is here", { name }),
    note: (text) => t("note: {text}", { text }),
    link: (url) => t("link to {url}", { url }),
  };
}
