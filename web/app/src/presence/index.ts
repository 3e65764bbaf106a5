/** Presence: the identity of the user, and following another person. */

export { FollowBar } from "./FollowBar.tsx";
export { Following } from "./following.ts";
export { cleanName, type Identity, loadIdentity, saveIdentity } from "./identity.ts";
export { faceOf } from "./faces.ts";
export { initials } from "./initials.ts";
