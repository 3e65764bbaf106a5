/** EtherCalc's form controls: text boxes, lists, checkboxes, radio buttons and buttons in cells. */

export { isAppView, selectShownCell, startAppView } from "./app-view.ts";
export { ButtonImages } from "./button-images.ts";
export { choicesOfControl, controlAt, isField, pressButton, setValue, toggleControl } from "./controls.ts";
