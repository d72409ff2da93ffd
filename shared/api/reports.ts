/** `/reports`: what happened at sites in a week or a month. */
import * as z from 'zod';
import { SiteId } from '../identity.ts';
import { ReasonCode } from '../reasons.ts';
import { parsePeriod } from '../report-period.ts';
import { TimeZone } from '../schedule-terms.ts';
import { parsedText } from '../text-schemas.ts';
import { SummaryCodes } from './changes.ts';
import { DeviceNames } from './device-presence.ts';
import { EventDetail, NamedDevice } from './events.ts';
import { OnlySites } from './list.ts';
import { answer, Cursor, named, type Operations, queryInteger, route, Unreadables } from './operation.ts';
import { Time } from './records.ts';

const Count = z.int().min(0);
/** Entries of a list in the report of one site; the counts beside the lists are of all. */
export const MAX_REPORTED = 200;

const Downtime = named('ReportedDowntime', {
  kind: z.enum(['device', 'outage', 'site', 'internet', 'agent', 'check']),
  id: z.string().describe('Of the device, the outage, the agent or the check.'),
  name: z.string(),
  since: Time,
  until: Time.nullable().describe('Null: it was not over at the end of the period.'),
  seconds: Count.describe('Of the period, also where it began before.'),
  count: Count.optional().describe('Of an outage: how many devices it affected.'),
  why: z.string().nullable().describe('The cause, if it is known; in English.'),
  cause: z.string().nullable().describe('Of an outage: `gateway`, `switch`, `power` or `devices`.'),
  reasonCode: ReasonCode,
});
export type Downtime = z.infer<typeof Downtime>;

const Availability = named('ReportedAvailability', {
  kind: z.enum(['device', 'check']),
  id: z.string(),
  name: z.string(),
  uptimePercent: z
    .number()
    .nullable()
    .describe('Of the time in which it was monitored; of a check, of its runs. Null: it was not.'),
  knownPercent: z.number().nullable().describe('Of a device: the monitored part of the period.'),
  times: Count.nullable().describe('Of a device: how often it went offline.'),
});
export type Availability = z.infer<typeof Availability>;

const OpenedPort = named('ReportedPort', {
  device: NamedDevice,
  at: Time,
  port: EventDetail.describe('`port`, `protocol`, `service`, and `address` if it is not the main one.'),
  isOpen: z.boolean().describe('Whether no later scan of the period found it closed.'),
});

export const SiteReport = named('SiteReport', {
  site: SiteId,
  name: z.string(),
  timeZone: z.string(),
  since: Time,
  until: Time.describe('The end of the period, or now.'),
  summary: z.string().describe('For a person, in English.'),
  summaryCodes: SummaryCodes,
  devices: Count.describe('Now, without archived ones.'),
  newDevices: z.array(NamedDevice.extend({ at: Time, vendor: z.string(), ip: z.string() })).max(MAX_REPORTED),
  newCount: Count,
  downtimes: z.array(Downtime).max(MAX_REPORTED).describe('The longest first.'),
  downtimeCount: Count,
  availability: z.array(Availability).max(MAX_REPORTED).describe('The lowest first.'),
  ports: z.array(OpenedPort).max(MAX_REPORTED),
  portCount: Count,
  speed: z
    .object({
      tests: Count,
      downMbps: z.number().describe('The median, as of the next two.'),
      upMbps: z.number(),
      pingMs: z.number(),
      slowestMbps: z.number().describe('The least download.'),
    })
    .nullable()
    .describe('Null without speed tests.'),
  isPartial: z.boolean().describe('Whether there were too many changes to read all of them.'),
});
export type SiteReport = z.infer<typeof SiteReport>;

const PeriodText = parsedText(
  8,
  'expected a month such as 2026-10, or an ISO week such as 2026-W44',
  parsePeriod,
).describe('A month, or an ISO week, of the last 90 days. Default: the last complete month.');

export const reports = {
  getReports: {
    ...route('GET', '/reports', 'devices:read'),
    summary: 'What happened at sites in a month or a week: new devices, downtimes, availability, opened ports, speed',
    query: z.object({
      period: PeriodText.optional(),
      sites: OnlySites,
      devices: DeviceNames.optional().describe('Whose availability: as in `/devices/presence`. Default: favourites.'),
      timeZone: TimeZone.optional().describe('Whose midnights. Default: that of each site.'),
      limit: queryInteger(1, 50).default(10).describe('Sites a page: each reads its journal.'),
      cursor: Cursor.optional(),
    }),
    response: answer({
      period: z.string(),
      sites: z.array(SiteReport).max(50).describe('Ordered by id.'),
      unreadable: Unreadables,
      nextCursor: z.string().nullable(),
    }),
    example: {
      query: { period: '2026-10', sites: 'tag:customers' },
      response: {
        success: true,
        period: '2026-10',
        sites: [],
        unreadable: [],
        nextCursor: null,
      },
    },
  },
} as const satisfies Operations;
