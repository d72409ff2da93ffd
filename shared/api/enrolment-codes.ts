/** Enrolment codes, with which hosts become agents of a site. Only the answer that creates a code contains it. */
import * as z from 'zod';
import { formatRange, parseRange, withoutHostBits } from '../addresses.ts';
import { AgentId, AgentName, SiteId } from '../identity.ts';
import { matching, parsedText } from '../text-schemas.ts';
import { Addresses, exampleAddresses } from './addresses.ts';
import { ReleaseOffer } from './agents.ts';
import { list } from './list.ts';
import { answer, named, type Operations, route, Unreadables } from './operation.ts';
import { Time, Token } from './records.ts';

const MAX_USES = 1_000;
export const MAX_CODE_DAYS = 30;

const CodeId = matching(16, /^[0-9a-f]{16}$/, 'expected the 16 hexadecimal digits of an enrolment code');

/** Canonical after parsing. */
const Network = parsedText(50, 'expected an address, or a network such as 192.168.0.0/16', (text) => {
  const range = parseRange(text);
  return range?.address.zone === null ? formatRange(withoutHostBits(range)) : null;
});
const Networks = list(Network, { max: 32 }).describe(
  'Networks from which hosts may enrol, by the address that the service sees; empty: anywhere.',
);
const Uses = z.int().min(1).max(MAX_USES);

export const EnrolmentCode = named('EnrolmentCode', {
  id: CodeId,
  site: SiteId,
  agent: AgentId.nullable().describe('null: each host becomes an agent with its name.'),
  replace: z.boolean(),
  uses: Uses,
  used: z.int(),
  networks: Networks,
  expiresAt: Time,
  createdAt: Time,
  createdBy: Token.shape.createdBy,
});
export type EnrolmentCode = z.infer<typeof EnrolmentCode>;

const exampleCode = {
  id: '0123456789abcdef',
  site: 'home',
  agent: null,
  replace: false,
  uses: 50,
  used: 12,
  networks: ['203.0.113.0/24'],
  expiresAt: '2026-11-08T08:15:00.000Z',
  createdAt: '2026-11-01T08:15:00.000Z',
  createdBy: '00112233445566aa',
};

export const enrolmentCodes = {
  createEnrolmentCode: {
    ...route('POST', '/sites/{site}/agents', 'admin'),
    audit: 'enrolment.create',
    status: 201,
    summary: 'Create a code with which a host, or several, can enrol as an agent of the site within an hour',
    params: z.object({ site: SiteId }),
    body: z
      .strictObject({
        name: AgentName.optional().describe(
          'Of the agent. With several uses, each agent is named after its host instead.',
        ),
        replace: z.boolean().optional().describe('The host that uses the code replaces the agent of that name.'),
        uses: Uses.optional().describe('How many hosts can enrol with it; default: one.'),
        expiresAt: Time.optional().describe(
          `At most ${MAX_CODE_DAYS} days from now; default: in an hour. The code expires earlier if the token that creates it does.`,
        ),
        networks: Networks.optional(),
      })
      .refine(({ name, uses = 1 }) => name !== undefined || uses > 1, {
        error: 'expected the name of the agent',
        path: ['name'],
      })
      .refine(({ name, uses = 1 }) => name === undefined || uses <= 1, {
        error: 'expected no name: with several uses, each agent is named after its host',
        path: ['name'],
      })
      .refine(({ replace, uses = 1 }) => !replace || uses <= 1, {
        error: 'a code with several uses replaces no agent',
        path: ['replace'],
      }),
    response: answer({ code: z.string(), ...EnrolmentCode.shape, addresses: Addresses, release: ReleaseOffer }),
    errors: ['site_forbidden', 'conflict'],
    example: {
      params: { site: 'home' },
      body: { name: 'attic' },
      response: {
        success: true,
        code: 'lre_…',
        ...{ ...exampleCode, agent: 'home:attic', uses: 1, used: 0, networks: [] },
        expiresAt: '2026-11-01T09:15:00.000Z',
        addresses: exampleAddresses,
        release: { version: '0.3.0', packages: ['deb-amd64', 'deb-arm64', 'npm', 'program'] },
      },
    },
  },
  listEnrolmentCodes: {
    ...route('GET', '/enrolment-codes', 'admin'),
    summary: 'The valid enrolment codes, without their secrets',
    response: answer({ codes: z.array(EnrolmentCode), unreadable: Unreadables }),
    example: { response: { success: true, codes: [exampleCode], unreadable: [] } },
  },
  revokeEnrolmentCode: {
    ...route('DELETE', '/enrolment-codes/{id}', 'admin'),
    audit: 'enrolment.revoke',
    summary: 'Revoke an enrolment code; agents that have enrolled with it stay',
    params: z.object({ id: CodeId }),
    response: answer({}),
    errors: ['not_found'],
    example: { params: { id: exampleCode.id }, response: { success: true } },
  },
} as const satisfies Operations;
