/** What a tool has run, and how that went, in words. */
import { type Cell, state } from '../client/text.ts';

/** The tool and its arguments. */
export function wordsOf({ tool, request }: { tool: string; request: object }): string {
  const given = Object.entries(request).filter(([name]) => name !== 'tool');
  return [tool, ...given.map(([name, value]) => `${name}=${value}`)].join(' ');
}

export function withReason(known: string, reason: string | null): Cell {
  return reason === null || reason === known ? state(known) : [state(known), ` (${reason})`];
}
