/** Accounts: who is signed in, the account menu, and the pages for sign-in, account and administration. */

export { type AccountPageName, pageOfPath } from "./page-paths.ts";
export { type Account, canSignIn, loadSession, session, type SessionState, signInPath } from "./session.ts";
