/** Data validation. `ValidationDialog.tsx` and `EntryAlerts.tsx` are loaded on first use. */

export { invalidCircles } from "./circle-invalid.ts";
export { InputMessage } from "./InputMessage.tsx";
export { hasList, isRating, rulesOfColumn } from "./list-values.ts";
export { RatingMenu } from "./RatingMenu.tsx";
export { ListMenu } from "./ListMenu.tsx";
export { pressStar } from "./press-star.ts";
export { hasChips, isPeople, validationAt } from "./rules-of-cells.ts";
export { fieldsOfRule, ruleOf, textOf } from "./validation-rules.ts";
