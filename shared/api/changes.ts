/** `/changes`: the changes of a site in a span of time, in sentences. */
import * as z from 'zod';
import { McpLimit } from '../mcp-tool.ts';
import { READ_ONLY, succeeded } from './device-terms.ts';
import { EventSubject, EventType, NamedDevice } from './events.ts';
import { type Operations, onSite, queryInteger, queryTime, Unreadables } from './operation.ts';
import { Time } from './records.ts';

const Sentence = z
  .object({
    at: Time.meta({ description: 'The time of the last event.' }),
    type: EventType.meta({ description: 'Of the last event.' }),
    text: z.string().meta({ description: 'For a person, in English, without the name of the device.' }),
    count: z.int().min(1).meta({ description: 'How many events it summarizes.' }),
  })
  .meta({ id: 'ChangeSentence' });
export type ChangeSentence = z.infer<typeof Sentence>;

export const ChangeGroup = z
  .object({
    device: NamedDevice.nullable().meta({ description: 'Null for events of no single device.' }),
    subject: EventSubject.nullable(),
    count: z.int().min(1).meta({ description: 'The number of events; each is part of one sentence.' }),
    sentences: z.array(Sentence).meta({ description: 'The oldest first.' }),
  })
  .meta({ id: 'ChangeGroup' });
export type ChangeGroup = z.infer<typeof ChangeGroup>;

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
      limit: queryInteger(1, 1_000).default(200).meta({ description: 'Most groups: devices, and other subjects.' }),
    }),
    response: z.object({
      success: succeeded,
      since: Time,
      until: Time,
      summary: z.string().meta({ description: 'One sentence that summarizes all of it.' }),
      changes: z.array(ChangeGroup),
      truncated: z.boolean().meta({
        description:
          'Whether the answer is incomplete: more groups than `limit`, or more events than are read for one answer. Use a shorter span.',
      }),
      unreadable: Unreadables,
    }),
    mcp: {
      name: 'changes_since',
      title: 'What changed, in sentences',
      description:
        'The changes of a site between since and until (times such as 2026-11-01T08:15:00Z), grouped by device, in sentences: appeared, gone, addresses, ports, names, outages, checks, agents. Better than what_changed for a summary.',
      annotations: READ_ONLY,
      arguments: { limit: { schema: McpLimit } },
    },
    example: {
      query: { limit: '50' },
      response: {
        success: true,
        since: '2026-11-01T00:00:00.000Z',
        until: '2026-11-02T00:00:00.000Z',
        summary: '1 port opened.',
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
