/** Says once a day that the token in use ends soon. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseJson } from '../../shared/json.ts';
import { configPath } from './config.ts';
import type { World } from './world.ts';

/** The answer of a service of which this version knows no better is not repeated. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/** @param note receives the sentence @returns receives the headers of each answer */
export function expiryNotice({ env }: World, url: string, note: (text: string) => void): (headers: Headers) => void {
  return (headers) => {
    const end = headers.get('lanreach-token-expires') ?? '';
    if (!TIME.test(end)) return;
    const file = join(dirname(configPath(env)), 'notices.json');
    const today = new Date().toISOString().slice(0, 10);
    const notified = notifiedIn(file);
    if (notified[url] === today) return;
    const days = Math.max(0, Math.floor((Date.parse(end) - Date.now()) / 86_400_000));
    note(
      `This token ends ${days === 0 ? 'within a day' : `in ${days} day${days === 1 ? '' : 's'}`}. To go on: lanreach login`,
    );
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, `${JSON.stringify({ ...notified, [url]: today })}\n`, { mode: 0o600 });
    } catch {
      // Where nothing can be kept, it is said each time.
    }
  };
}

/** The day of the last notice, by service. */
function notifiedIn(file: string): Record<string, string> {
  try {
    const kept = parseJson(readFileSync(file, 'utf8'));
    const entries = Object.entries(kept as object).filter(([, day]) => typeof day === 'string');
    return Object.fromEntries(entries.slice(-100));
  } catch {
    return {};
  }
}
