/** The download has begun by then. */
const TAKEN_AFTER_MS = 60_000;

/** Excel on Windows detects UTF-8 in a table by its byte order mark only. */
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
