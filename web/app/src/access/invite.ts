/** Giving a person a role: by name, or without accounts by a share link of their own. */

import { roomPath } from "../rooms/index.ts";
import { addLink, addPerson, type Invitation, type SharedRole } from "./access-api.ts";

/** What became of an invitation. */
export interface Invited {
  readonly name: string;
  /** The address to send by hand; `undefined` when the server has sent an e-mail. */
  readonly url: string | undefined;
}

/** The address of a room without a credential. */
export function roomAddress(room: string): string {
  return new URL(roomPath(room), location.href).href;
}

/** Gives a role to a person with an account, now or later. */
export async function inviteByName(room: string, person: string, role: SharedRole): Promise<Invited> {
  return invitedBy(room, person, await addPerson(room, person, role));
}

/** What became of an invitation of the server. */
export function invitedBy(room: string, name: string, invitation: Invitation | undefined): Invited {
  const url = invitation?.url ? new URL(invitation.url, location.href).href : roomAddress(room);
  return { name, url: invitation?.sent ? undefined : url };
}

/** Creates a share link for one person. */
export async function inviteByLink(room: string, name: string, role: SharedRole): Promise<Invited> {
  const { link } = await addLink(room, { role, label: name });
  return { name, url: `${roomAddress(room)}#link=${link}` };
}
