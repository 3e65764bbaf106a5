/** EtherCalc's form controls: text boxes, lists, checkboxes, radio buttons and buttons in cells. */

export { choicesOfControl, controlAt, isField, pressButton, setValue, toggleControl } from "./controls.ts";
