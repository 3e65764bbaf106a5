/** EtherCalc's form controls: text boxes, lists, checkboxes, radio buttons and buttons in cells. */

export { isAppView, selectShownCell, startAppView } from "./app-view.ts";
export { ButtonImages } from "./button-images.ts";
export { choicesOfControl, pressButton, toggleCheckbox } from "./control-actions.ts";
export { controlAt, enterValue, setValue } from "./controls.ts";
export { isField } from "./is-field.ts";
