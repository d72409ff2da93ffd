/** Codes with which hosts become agents of a site. Each is in the answer that makes it, and nowhere else. */
import * as z from 'zod';
import { formatRange, parseRange, withoutHostBits } from '../addresses.ts';
import { AgentId, AgentName, SiteId } from '../identity.ts';
import { Addresses, exampleAddresses } from './addresses.ts';
import { ReleaseOffer } from './agents.ts';
import { list } from './list.ts';
import { type Operations, Unreadables } from './operation.ts';
import { Time, Token } from './records.ts';

const succeeded = z.literal(true);

const MAX_USES = 1_000;
export const MAX_CODE_DAYS = 30;

const ID_EXPECTED = 'expected the 16 hexadecimal digits of an enrolment code';
const CodeId = z
  .string()
  .max(16, { error: ID_EXPECTED, abort: true })
  .regex(/^[0-9a-f]{16}$/, { error: ID_EXPECTED });

/** Canonical after parsing. */
const Network = z
  .string()
  .max(50, { abort: true })
  .transform((text, context): string => {
    const range = parseRange(text);
    if (range !== null && range.address.zone === null) return formatRange(withoutHostBits(range));
    context.addIssue({ code: 'custom', message: 'expected an address, or a network such as 192.168.0.0/16' });
    return z.NEVER;
  });
const Networks = list(Network, { max: 32 }).meta({
  description: 'Where the requests of hosts must come from, as the service sees them; empty: anywhere.',
});
const Uses = z.int().min(1).max(MAX_USES);

export const EnrolmentCode = z
  .object({
    id: CodeId,
    site: SiteId,
    agent: AgentId.nullable().meta({ description: 'null: each host becomes an agent that is named after it.' }),
    replace: z.boolean(),
    uses: Uses,
    used: z.int(),
    networks: Networks,
    expiresAt: Time,
    createdAt: Time,
    createdBy: Token.shape.createdBy,
  })
  .meta({ id: 'EnrolmentCode' });
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
    method: 'POST',
    path: '/sites/{site}/agents',
    scope: 'admin',
    audit: 'enrolment.create',
    status: 201,
    summary: 'Make a code with which a host can enrol as an agent of the site within an hour, or several hosts can',
    params: z.object({ site: SiteId }),
    body: z
      .strictObject({
        name: AgentName.optional().meta({
          description: 'Of the agent. With several uses, each agent is named after its host instead.',
        }),
        replace: z
          .boolean()
          .optional()
          .meta({ description: 'Whoever uses the code takes the place of the agent of that name.' }),
        uses: Uses.optional().meta({ description: 'How many hosts can enrol with it; default: one.' }),
        expiresAt: Time.optional().meta({
          description: `At most ${MAX_CODE_DAYS} days from now; default: in an hour. It ends earlier when the token that makes it does.`,
        }),
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
    response: z.object({
      success: succeeded,
      code: z.string(),
      ...EnrolmentCode.shape,
      addresses: Addresses,
      release: ReleaseOffer,
    }),
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
        release: { version: '0.2.0', packages: ['deb-amd64', 'deb-arm64', 'npm', 'program'] },
      },
    },
  },
  listEnrolmentCodes: {
    method: 'GET',
    path: '/enrolment-codes',
    scope: 'admin',
    summary: 'The enrolment codes with which hosts can still enrol, without their secrets',
    response: z.object({ success: succeeded, codes: z.array(EnrolmentCode), unreadable: Unreadables }),
    example: { response: { success: true, codes: [exampleCode], unreadable: [] } },
  },
  revokeEnrolmentCode: {
    method: 'DELETE',
    path: '/enrolment-codes/{id}',
    scope: 'admin',
    audit: 'enrolment.revoke',
    summary: 'Revoke an enrolment code; agents that have enrolled with it stay',
    params: z.object({ id: CodeId }),
    response: z.object({ success: succeeded }),
    errors: ['not_found'],
    example: { params: { id: exampleCode.id }, response: { success: true } },
  },
} as const satisfies Operations;
