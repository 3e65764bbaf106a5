/** The header of a workbook and its title. */

export { Header } from "./Header.tsx";
export { PeopleList } from "./PeopleList.tsx";
export { Title } from "./title.ts";
