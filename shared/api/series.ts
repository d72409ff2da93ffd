/** `/series`: measurements over time. */
import * as z from 'zod';
import { PlanItemId } from '../agent/plan.ts';
import { AgentName } from '../identity.ts';
import { RESOLUTION_NAMES } from '../words.ts';
import { DeviceName } from './device-terms.ts';
import { Bom } from './export.ts';
import { answer, named, type Operations, onSite, queryTime } from './operation.ts';
import { Time } from './records.ts';

/** The resolutions of series, and for how long each is kept. */
export const RESOLUTIONS = {
  raw: { seconds: null, keepDays: 60 },
  '5m': { seconds: 300, keepDays: 60 },
  '1h': { seconds: 3_600, keepDays: 1_096 },
  '1d': { seconds: 86_400, keepDays: 1_096 },
} as const;
export const Resolution = z.enum(RESOLUTION_NAMES);
export type Resolution = z.infer<typeof Resolution>;

/** Points of one series in an answer. */
export const MAX_POINTS = 5_000;

const Column = named('SeriesColumn', {
  name: z.string(),
  unit: z.string().describe('Such as `ms`, `%`, `Mbit/s`; empty for a count or a text.'),
  values: z.array(z.union([z.number(), z.string(), z.null()])).max(MAX_POINTS),
});

export const OneSeries = named('Series', {
  agent: AgentName.nullable().describe('The agent that measured; null for measurements without one.'),
  resolution: Resolution,
  times: z
    .array(z.int())
    .max(MAX_POINTS)
    .describe(
      'Unix, s: of `raw` the time of the measurement, else the beginning of the bucket. A missing time is a gap without measurements.',
    ),
  columns: z.array(Column).describe('Each with one value for each of the `times`.'),
});
export type OneSeries = z.infer<typeof OneSeries>;

const SeriesQuery = z
  .object({
    check: PlanItemId.optional().meta({ 'x-checked-further': true, description: 'Latency and loss of this check.' }),
    device: DeviceName.optional().meta({
      'x-checked-further': true,
      description: 'Presence of this device in the last 90 days: percent of the time online.',
    }),
    of: z.enum(['speed', 'address']).optional().meta({
      'x-checked-further': true,
      description:
        '`speed`: the speed tests of the site. `address`: its public addresses, also the one in use at `since`.',
    }),
    agent: AgentName.optional().meta({ 'x-checked-further': true, description: 'Only measurements of this agent.' }),
    since: queryTime.optional().meta({ 'x-checked-further': true, description: 'Default: a day before `until`.' }),
    until: queryTime.optional().meta({ 'x-checked-further': true, description: 'Default: now.' }),
    resolution: Resolution.optional().meta({
      'x-checked-further': true,
      description: 'Default: the finest that is kept for the span, with at most 1,500 points.',
    }),
  })
  .superRefine(({ check, device, of }, context) => {
    const given = [check, device, of].filter((one) => one !== undefined).length;
    if (given !== 1)
      context.addIssue({ code: 'custom', path: ['check'], message: 'expected exactly one of check, device and of' });
  });

const Summary = z.record(z.string(), z.number().nullable()).meta({
  id: 'SeriesSummary',
  description: 'Of the whole span, such as `uptimePercent`, `lossPercent`, `rttMs`; null without measurements.',
});

const example = {
  success: true as const,
  since: '2026-11-01T08:00:00.000Z',
  until: '2026-11-01T08:15:00.000Z',
  series: [
    {
      agent: 'main',
      resolution: 'raw' as const,
      times: [1793520000],
      columns: [
        { name: 'downMbps', unit: 'Mbit/s', values: [942.1] },
        { name: 'upMbps', unit: 'Mbit/s', values: [38.4] },
        { name: 'pingMs', unit: 'ms', values: [9.2] },
      ],
    },
  ],
  summary: { downMbps: 942.1, upMbps: 38.4, pingMs: 9.2 },
};

export const series = {
  getSeries: {
    ...onSite('GET', '/series', 'devices:read'),
    summary:
      'Measurements over time: latency and loss of a check, presence of a device, or speed tests and public addresses of the site',
    query: SeriesQuery,
    response: answer({ since: Time, until: Time, series: z.array(OneSeries), summary: Summary }),
    errors: ['not_found'],
    mcp: {
      name: 'get_series',
      title: 'Measurements over time',
      description:
        'Latency and loss of a check (check), percent of time online of a device (device), or the speed tests of a site (of: speed), between since and until. ' +
        'For a week use resolution 1h, for a year 1d. Missing times are gaps without measurements.',
    },
    example: { query: { of: 'speed' }, response: example },
  },
  exportSeries: {
    ...onSite('GET', '/series/export', 'devices:read'),
    summary: 'The same as a CSV file: a line for each time and agent',
    query: SeriesQuery.safeExtend({ bom: Bom }),
    response: z.string(),
    mediaType: 'text/csv',
    headers: ['Content-Disposition'],
    errors: ['not_found'],
    example: {
      query: { of: 'speed' },
      response: 'time,agent,downMbps,upMbps,pingMs\r\n2026-11-01T08:00:00.000Z,main,942.1,38.4,9.2\r\n',
    },
  },
} as const satisfies Operations;
