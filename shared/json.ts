/** Parses JSON; null when the text is not JSON, which no schema of an object accepts. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
