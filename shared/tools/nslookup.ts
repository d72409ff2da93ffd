import * as z from 'zod';
import { LookupTarget } from '../network.ts';
import { someAnswers } from './summary.ts';
import { defineTool, linesOf } from './tool.ts';

const NslookupResult = z.object({
  /** The name server that answered; null when the host itself did (search list, hosts file, `localhost`). */
  server: z.string().nullable(),
  name: z.string(),
  addresses: z.array(z.string()),
  names: z.array(z.string()),
});

export const nslookup = defineTool({
  name: 'nslookup',
  summary: 'Resolve an address or a host name with the name server of the site',
  arguments: { query: { schema: LookupTarget, field: 'devLastIP', cli: { argument: '<address-or-name>' } } },
  result: NslookupResult,
  answer: { output: z.array(z.string()), result: NslookupResult.nullable() },
  toAnswer: ({ output, result }) => ({ output: linesOf(output), result }),
  summarise: ({ name, addresses, names }) => someAnswers(addresses.includes(name) ? names : addresses),
  compare: ({ name, addresses, names }) => (addresses.includes(name) ? names : addresses),
  limits: { runMs: 15_000, isLong: false, atOnce: 8 },
  programs: {}, // The agent queries the name servers itself.
  mcp: {
    name: 'dns_lookup',
    title: 'Look up a name',
    description:
      'Resolves a host name to its addresses, or an IP address to its names, with the name server of the LAN: ' +
      'what devices there see, which may differ from the public DNS.',
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    arguments: { query: { field: 'devLastIP' } },
  },
  example: {
    request: { devLastIP: '192.168.1.20' },
    output: 'Server: 192.168.1.1\nAddress: 192.168.1.1#53\n\nName: nas.lan\nAddress: 192.168.1.20\n',
    result: { server: '192.168.1.1', name: '192.168.1.20', addresses: ['192.168.1.20'], names: ['nas.lan'] },
  },
});
