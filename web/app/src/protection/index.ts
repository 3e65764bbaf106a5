/** Protected cells and sheets. `ProtectionDialog.tsx` is loaded on first use. */

export type { VerifiedPerson } from "./editors.ts";
export { lockAt, lockOf, locksOf } from "./protection.ts";
export { describeProtection, protectionErrorText } from "./protection-texts.ts";
