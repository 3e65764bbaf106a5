/** Rooms: names, titles, addresses, copies and the list of recently visited rooms. */

export { CopyFailed, copyRoom, openCopy } from "./copy-room.ts";
export { forgetRoom, recentRooms, rememberRoom } from "./recent-rooms.ts";
export { newRoomName } from "./room-names.ts";
export { exportUrl, importUrl, roomApi, roomOfPath, roomPath, socketUrl } from "./room-urls.ts";
export { cleanTitle, lastKnownTitle, roomTitle, TITLE_MAX } from "./titles.ts";
