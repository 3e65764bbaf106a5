export { describeProtection, engineErrorParts, lockAt, lockOf, locksOf } from "./protection.ts";
