import * as z from 'zod';
import { someAnswers } from './summary.ts';
import { defineTool } from './tool.ts';

const InternetInfoResult = z.object({
  ip: z.string(),
  city: z.string(),
  country: z.string(),
  organisation: z.string(),
  at: z.iso.datetime().describe('When the lookup service responded (RFC 3339, UTC); up to a minute ago'),
});

export const internetInfo = defineTool({
  name: 'internetinfo',
  summary: 'Public address, city, country and organisation of the internet connection of the site',
  arguments: {},
  result: InternetInfoResult,
  answer: { output: z.string(), result: InternetInfoResult.nullable() },
  toAnswer: ({ output, result }) => ({ output: output.trimEnd(), result }),
  summarise: ({ ip, organisation }) => someAnswers([ip, organisation].filter((text) => text !== '')),
  compare: ({ organisation, country }) => [organisation, country].filter((text) => text !== ''),
  limits: { runMs: 30_000, isLong: false, atOnce: 4 },
  programs: {},
  mcp: {
    name: 'internet_info',
    title: 'Internet connection of the site',
    description:
      'The public IP address of the site, with city, country and organisation of its internet provider, ' +
      'as a public information service sees it.',
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  },
  example: {
    request: {},
    output: '203.0.113.7 Reykjavik, IS Example Networks\n',
    result: {
      ip: '203.0.113.7',
      city: 'Reykjavik',
      country: 'IS',
      organisation: 'Example Networks',
      at: '2026-11-01T08:15:00.000Z',
    },
  },
});
