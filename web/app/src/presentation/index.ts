/** Presentation mode and dashboards. `PresentationBar.tsx` is loaded with the first presentation. */

export { DASHBOARD_SETTINGS, isDashboard, selectByKeyboard, SHEET_SETTINGS, showsSelection } from "./dashboard.ts";
export { isPresenting, PRESENTATION_BAR_PX, startPresentation } from "./presenting.ts";
