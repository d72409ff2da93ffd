/** Parses JSON, also with a byte order mark, as some editors and services write; null (which no object schema accepts) if invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    return null;
  }
}
