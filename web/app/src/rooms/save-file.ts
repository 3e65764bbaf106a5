/** Saves files that are in memory, as downloads of the browser. */

/** Saves a file under a name, as a download of the browser. */
export function saveFile(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The download has started by then.
  setTimeout(() => URL.revokeObjectURL(address), 0);
}

/** A title as a file name: without the characters that some file systems do not allow. */
export function titleAsFileName(title: string): string {
  return title.replace(/[\p{Cc}<>:"/\\|?*]/gu, "_").trim().replace(/^\.+|\.+$/g, "");
}
