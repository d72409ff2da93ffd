/** Saves something as a file, as a click on a link to it would. */

/** The browser has begun with the download by then. */
const TAKEN_AFTER_MS = 60_000;

/** Excel on Windows knows a table as UTF-8 by its byte order mark alone. */
const BYTE_ORDER_MARK = '\ufeff';

export function saveFile(fileName: string, content: Blob): void {
  const isTable = fileName.endsWith('.csv');
  const url = URL.createObjectURL(isTable ? new Blob([BYTE_ORDER_MARK, content]) : content);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(url), TAKEN_AFTER_MS);
}
