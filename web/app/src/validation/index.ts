/** Data validation. `ValidationDialog.tsx` and `EntryAlerts.tsx` are loaded on first use. */

export { invalidCircles } from "./circle-invalid.ts";
export { InputMessage } from "./InputMessage.tsx";
export { hasChipsInColumn, hasList } from "./list-values.ts";
export { ListMenu } from "./ListMenu.tsx";
export { hasChips, validationAt } from "./rules-of-cells.ts";
export { textOf } from "./validation-rules.ts";
