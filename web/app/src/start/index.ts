/** The start page. */

export { StartPage } from "./StartPage.tsx";
