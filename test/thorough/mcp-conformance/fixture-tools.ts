/** The tools by which the conformance suites test the protocol: what they do is laid down by the suites. */
import { inputRequired } from '@modelcontextprotocol/server';
import type { ExtraTool } from '../../../functions/assistants/endpoint.ts';

const text = (said: string, isError = false) => ({ content: [{ type: 'text' as const, text: said }], isError });

function fixture(name: string, call: ExtraTool['call'], inputSchema: object = {}): ExtraTool {
  const schema = { type: 'object' as const, ...inputSchema };
  return { listed: { name, description: 'Tests the protocol.', inputSchema: schema }, call };
}

export const FIXTURE_TOOLS: readonly ExtraTool[] = [
  fixture('test_simple_text', () => text('This is a simple text response for testing.')),
  fixture('test_error_handling', () => text('This tool intentionally returns an error for testing', true)),
  fixture('test_logging_tool', () => text('Nothing was logged.')),
  fixture('test_streaming_elicitation', () => text('Nothing was asked.')),
  fixture('test_missing_capability', () =>
    inputRequired({
      inputRequests: {
        sample: inputRequired.createMessage({
          messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
          maxTokens: 10,
        }),
      },
    }),
  ),
  fixture('test_tool_with_progress', async ({ mcpReq }) => {
    const { progressToken } = mcpReq._meta ?? {};
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
    }
    return text('Done.');
  }),
  fixture('json_schema_2020_12_tool', () => text('Done.'), {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  }),
];
