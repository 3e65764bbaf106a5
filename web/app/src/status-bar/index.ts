export { StatusBar } from "./StatusBar.tsx";
