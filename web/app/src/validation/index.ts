export { InputMessage } from "./InputMessage.tsx";
export { ListMenu } from "./ListMenu.tsx";
export { InvalidCircles } from "./circle-invalid.ts";
export { hasList, validationAt } from "./list-values.ts";
export { textOf } from "./validation-rules.ts";
