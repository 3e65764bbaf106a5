/**
 * Access: the credentials of this browser. The Share dialog, the page for people without access and
 * the bar for viewers are loaded when they are needed.
 */

export {
  credentialOf,
  forgetCredentials,
  keepOwnerKey,
  keepUnlock,
  knownRooms,
  linkOf,
  ownerKeyOf,
  rejectCredential,
  roomFetch,
  settledCredential,
  takeFragment,
  waitForClaim,
} from "./credentials.ts";
export { roleName } from "./roles.ts";
export { receivePageFrame } from "./identification.ts";
export { type LimitedRole, SessionAccess } from "./session-access.ts";

/** The requests about access, which the dialogs load when they open. */
export const loadAccessApi = () => import("./access-api.ts");
