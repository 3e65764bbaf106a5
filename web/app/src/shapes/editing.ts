/** Which shape gets the focus when it appears, and which text is edited in its place. */

import { createSignal } from "solid-js";

const [shapeToFocus, focusShape] = createSignal<number>();
const [editedShape, editShape] = createSignal<number>();

export { editedShape, editShape, focusShape, shapeToFocus };
