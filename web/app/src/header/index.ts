export { Header } from "./Header.tsx";
export { Title } from "./title.ts";
