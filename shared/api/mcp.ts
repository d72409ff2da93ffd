/**
 * `/mcp`: the tools for assistants (Model Context Protocol). Which operations are tools, and how, stands with them in
 * the tables of this folder. The protocol defines requests and answers, so these are paths without schemas.
 */
import type { Operation } from './operation.ts';

export const mcp = {
  callTools: { method: 'POST', path: '/mcp' },
  /** The guides of NetAlertX tell its users to configure this path. */
  callToolsAsInNetAlertX: { method: 'POST', path: '/mcp/sse' },
} as const satisfies Record<string, Pick<Operation, 'method' | 'path'>>;
