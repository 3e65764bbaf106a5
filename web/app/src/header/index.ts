/** The header of a workbook and its title. */

export { Header } from "./Header.tsx";
export { Title } from "./title.ts";
