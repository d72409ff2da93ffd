/**
 * Parses JSON, also behind the byte order mark that editors and some services put in front; null when the text is not JSON,
 * which no schema of an object accepts.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    return null;
  }
}
