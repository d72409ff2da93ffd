/** The line that enrols a host, as `lanreach agent enrol` prints it. */
export function enrolLine(code: string, url: string): string {
  return `lanreach-agent enrol ${code} --url ${shellWord(url)}`;
}

/** Quotes a word for a shell's command line, unless it needs no quotes. */
function shellWord(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The base URL of an API as a person has typed it, without a slash at its end; null when it is none. */
export function parseApiUrl(text: string): string | null {
  if (!URL.canParse(text.trim())) return null;
  const url = new URL(text.trim());
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null;
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
