/** The official client of the Model Context Protocol, connected to `/mcp` as an assistant is. */
import { Client, type ProgressCallback, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** The revisions of the protocol: the current one, and that which most clients speak. */
export const REVISIONS = ['2026-07-28', '2025-11-25'] as const;
export type Revision = (typeof REVISIONS)[number];

export interface McpAnswer {
  isError: boolean;
  /** All text of the result. */
  text: string;
  structured: Record<string, unknown>;
}

export interface CallOptions {
  signal?: AbortSignal;
  onprogress?: ProgressCallback;
}

export interface Assistant extends AsyncDisposable {
  client: Client;
  toolNames(): Promise<string[]>;
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<McpAnswer>;
}

/** @param fetchLike sends the requests; for a server that this process cannot reach by itself */
export async function connectAssistant(
  url: string,
  token: string,
  {
    revision = REVISIONS[0],
    path = '/mcp',
    fetch: fetchLike,
  }: { revision?: Revision; path?: string; fetch?: (url: string | URL, init?: RequestInit) => Promise<Response> } = {},
): Promise<Assistant> {
  const mode = revision === '2025-11-25' ? 'legacy' : { pin: revision };
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url + path), {
      requestInit: { headers: { Authorization: `Bearer ${token}` } },
      ...(fetchLike === undefined ? {} : { fetch: fetchLike }),
    }),
  );
  return {
    client,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name).sort(),
    async call(name, args = {}, { signal, onprogress } = {}) {
      const result = await client.callTool(
        { name, arguments: args },
        { timeout: 200_000, ...(signal ? { signal } : {}), ...(onprogress ? { onprogress } : {}) },
      );
      const text = result.content.map((one) => (one.type === 'text' ? one.text : '')).join('\n');
      return {
        isError: result.isError === true,
        text,
        structured: (result.structuredContent ?? {}) as Record<string, unknown>,
      };
    },
    async [Symbol.asyncDispose]() {
      await client.close();
    },
  };
}
