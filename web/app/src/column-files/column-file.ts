/** Tells Parquet and Arrow files from those that the server reads. */

const COLUMN_FILE = /\.(?:parquet|arrows?|feather|ipc)$/i;
/** The first bytes of Parquet and Arrow files, and of a version of Feather that cannot be read. */
const MAGIC: ReadonlySet<string> = new Set(["PAR1", "PARE", "ARRO", "FEA1"]);

/** Whether a file has columns: by its extension, or by its content if the extension says nothing. `known` has the others. */
export async function isColumnFile(file: File, known: string): Promise<boolean> {
  const extension = /\.\w+$/.exec(file.name)?.[0].toLowerCase();
  if (COLUMN_FILE.test(file.name)) {
    return true;
  }
  if (extension !== undefined && known.split(",").includes(extension)) {
    return false;
  }
  return MAGIC.has(String.fromCharCode(...new Uint8Array(await file.slice(0, 4).arrayBuffer())));
}
