/** Data validation. `ValidationDialog.tsx` and `EntryAlerts.tsx` are loaded on first use. */

export { InvalidCircles } from "./circle-invalid.ts";
export { InputMessage } from "./InputMessage.tsx";
export { hasChips, hasChipsInColumn, hasList, validationAt } from "./list-values.ts";
export { ListMenu } from "./ListMenu.tsx";
export { textOf } from "./validation-rules.ts";
