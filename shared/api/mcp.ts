/** `/mcp`: the tools that the operations here declare, without schemas: MCP defines requests and answers. */
import type { Operation } from './operation.ts';

export const mcp = {
  callTools: { method: 'POST', path: '/mcp' },
  /** The path in the guides of NetAlertX. */
  callToolsAsInNetAlertX: { method: 'POST', path: '/mcp/sse' },
} as const satisfies Record<string, Pick<Operation, 'method' | 'path'>>;
