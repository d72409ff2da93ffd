/** Saves something as a file, as a click on a link to it would. */

/** The browser has begun with the download by then. */
const TAKEN_AFTER_MS = 60_000;

export function saveFile(fileName: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(url), TAKEN_AFTER_MS);
}
