/** What a text says in JSON; null when it is not JSON, which no schema of an object takes for one. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
