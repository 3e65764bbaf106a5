/** Shapes and text boxes. All but `editing.ts` is loaded when needed. */

export { editedShape, editShape, focusShape, shapeToFocus } from "./editing.ts";
