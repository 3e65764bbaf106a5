/** Protected cells and sheets. `ProtectionDialog.tsx` is loaded on first use. */

export type { VerifiedPerson } from "./editors.ts";
export { describeProtection, lockAt, lockOf, locksOf, protectionErrorText } from "./protection.ts";
