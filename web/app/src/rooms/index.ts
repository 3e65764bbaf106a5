/** Rooms: names, titles, addresses, copies and the list of recently visited rooms. */

export { claimNewRoom, claimRoom } from "./claim-room.ts";
export { CopyFailed, copyRoom, openCopy } from "./copy-room.ts";
export { download, DownloadFailed } from "./download.ts";
export { forgetRoom, type RecentRoom, recentRooms, rememberRoom } from "./recent-rooms.ts";
export { newRoomName } from "./room-names.ts";
export { columnsUrl, exportUrl, importUrl, opensForViewing, roomApi, roomOfPath, roomPath, socketUrl } from "./room-urls.ts";
export { saveFile, titleAsFileName } from "./save-file.ts";
export { cleanTitle, lastKnownTitle, roomTitle, TITLE_MAX } from "./titles.ts";
