/** Copies text to the clipboard. */

/** Copies a text. The clipboard API needs HTTPS; elsewhere a field is copied. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "copy-source";
    // Inside of the open dialog, which keeps the focus.
    const container = document.activeElement?.closest("[role=dialog]") ?? document.body;
    container.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}
