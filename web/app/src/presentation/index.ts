/** Presentation mode. `PresentationBar.tsx` is loaded with the first presentation. */

export { isPresenting, startPresentation } from "./presenting.ts";
