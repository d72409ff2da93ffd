/** `/changes`: the changes of a site in a span of time, in sentences. */
import * as z from 'zod';
import { DEVICE_FIELDS } from '../device.ts';
import { McpLimit } from '../mcp-tool.ts';
import { coded } from '../reasons.ts';
import { DeviceEvent, EventDetail, EventSubject, EventType, NamedDevice } from './events.ts';
import { answer, named, type Operations, onSite, queryInteger, queryTime, Unreadables } from './operation.ts';
import { Time } from './records.ts';

const Count = z.int().min(0);
const times = z.int().min(1);
const seconds = z.number().min(0).describe('How long in all.');
const more = Count.describe('How many others are not named.');
const chain = z.array(z.string()).describe('The values one after the other; empty for none.');
const end = z.enum(['kept', 'undone', 'repeated']).describe('`undone`: in the end it is as it was.');
const Edit = z.object({
  field: z.enum(DEVICE_FIELDS),
  from: z.string().optional(),
  to: z.union([z.string(), z.boolean()]).optional().describe('Absent: it is as it was.'),
});

/** What one part of a sentence says. Values that are long are cut. */
const SentencePart = z
  .discriminatedUnion('code', [
    z.object({ code: z.enum(['conflict-over']) }),
    coded(['happened'], {
      ...{ type: EventType, times, again: z.boolean().describe('Whether it had just been over.') },
      ...DeviceEvent.pick({ count: true, detail: true, reasonCode: true }).shape,
    }),
    coded(['was-offline', 'was-silent', 'was-disconnected'], { times, seconds }),
    coded(['had-no-agent', 'had-no-internet', 'was-slow'], { times, seconds }),
    coded(['were-gone'], { times, seconds, devices: Count }),
    coded(['ports-opened', 'ports-closed'], { ports: z.array(EventDetail), more, end }),
    coded(['address', 'public-address', 'renamed'], { chain }),
    coded(['named'], { name: z.string() }),
    coded(['conflict'], { text: z.string() }),
    coded(['edited'], { fields: z.array(Edit).describe('Empty: other columns.'), more }),
    coded(['many'], { type: EventType, count: Count, deleted: Count, changes: times }),
  ])
  .meta({ id: 'SentencePart' });
export type SentencePart = z.infer<typeof SentencePart>;

/** The codes in the order in which a summary has them. */
export const SummaryPart = named('SummaryPart', {
  code: z.enum([
    ...(['new', 'found', 'imported', 'deleted', 'outage', 'site-dark', 'internet-lost', 'agent-lost'] as const),
    ...(['agent-update-failed', 'check-down', 'turn-missed', 'speed-low', 'certificate-ending'] as const),
    ...(['address-changed', 'route-changed', 'port-opened', 'port-closed', 'joined', 'split'] as const),
    ...(['changed', 'came-or-went', 'other'] as const),
  ]),
  values: z.object({ count: Count, seconds: seconds.optional() }),
});
export type SummaryPart = z.infer<typeof SummaryPart>;

const codesOf = <Part extends z.ZodType>(part: Part, text: string) =>
  z
    .array(part)
    .optional()
    .catch(undefined)
    .describe(
      `What \`${text}\` says, as codes with their values, for text in other languages; further codes may come.`,
    );
export const SummaryCodes = codesOf(SummaryPart, 'summary');

const Sentence = named('ChangeSentence', {
  at: Time.describe('The time of the last event.'),
  type: EventType.describe('Of the last event.'),
  text: z.string().describe('For a person, in English, without the name of the device.'),
  textCodes: codesOf(SentencePart, 'text'),
  label: z.string().optional().describe('Of a check of the device: its label, with which `text` begins.'),
  count: z.int().min(1).describe('How many events it summarizes.'),
});
export type ChangeSentence = z.infer<typeof Sentence>;

export const ChangeGroup = named('ChangeGroup', {
  device: NamedDevice.nullable().describe('Null for events of no single device.'),
  subject: EventSubject.nullable(),
  count: z.int().min(1).describe('The number of events; each is part of one sentence.'),
  sentences: z.array(Sentence).describe('The oldest first.'),
});
export type ChangeGroup = z.infer<typeof ChangeGroup>;

const ports = [{ port: 8080, protocol: 'tcp', service: 'http-proxy' }];

export const changes = {
  listChanges: {
    ...onSite('GET', '/changes', 'devices:read'),
    summary: 'The changes of a site in a span of time: by device, in sentences; the latest first',
    query: z.object({
      since: queryTime.optional().meta({
        description: 'Default: a day before `until`. At most 90 days ago, and before `until`.',
        'x-checked-further': true,
      }),
      until: queryTime.optional().meta({ description: 'Default: now. After `since`.', 'x-checked-further': true }),
      limit: queryInteger(1, 1_000).default(200).describe('Most groups: devices, and other subjects.'),
    }),
    response: answer({
      since: Time,
      until: Time,
      summary: z.string().describe('One sentence that summarizes all of it.'),
      summaryCodes: SummaryCodes,
      changes: z.array(ChangeGroup),
      truncated: z
        .boolean()
        .describe(
          'Whether the answer is incomplete: more groups than `limit`, or more events than are read for one answer. Use a shorter span.',
        ),
      unreadable: Unreadables,
    }),
    mcp: {
      name: 'changes_since',
      title: 'What changed, in sentences',
      description:
        'The changes of a site between since and until (times such as 2026-11-01T08:15:00Z), grouped by device, in sentences: appeared, gone, addresses, ports, names, outages, checks, agents. Better than what_changed for a summary.',
      arguments: { limit: { schema: McpLimit } },
    },
    example: {
      query: { limit: '50' },
      response: {
        success: true,
        since: '2026-11-01T00:00:00.000Z',
        until: '2026-11-02T00:00:00.000Z',
        summary: '1 port opened.',
        summaryCodes: [{ code: 'port-opened', values: { count: 1 } }],
        changes: [
          {
            device: { mac: '00:1E:06:AA:BB:01', key: '00:1E:06:AA:BB:01', name: 'nas' },
            subject: null,
            count: 1,
            sentences: [
              {
                at: '2026-11-01T08:15:00.000Z',
                type: 'port-opened',
                text: 'opened port 8080/tcp (http-proxy)',
                textCodes: [{ code: 'ports-opened', values: { ports, more: 0, end: 'kept' } }],
                count: 1,
              },
            ],
          },
        ],
        truncated: false,
        unreadable: [],
      },
    },
  },
} as const satisfies Operations;
