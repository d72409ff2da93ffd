/**
 * `/mcp`: the tools for assistants (Model Context Protocol), which the operations in this folder declare. The protocol defines
 * requests and answers, so these are paths without schemas.
 */
import type { Operation } from './operation.ts';

export const mcp = {
  callTools: { method: 'POST', path: '/mcp' },
  /** The path in the guides of NetAlertX. */
  callToolsAsInNetAlertX: { method: 'POST', path: '/mcp/sse' },
} as const satisfies Record<string, Pick<Operation, 'method' | 'path'>>;
