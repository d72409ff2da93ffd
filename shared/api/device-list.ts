/** The list of devices: filters, order, groups, and the values of the filters. */
import * as z from 'zod';
import { DeviceRecord, MAX_LENGTHS, StatusFilter } from '../device.ts';
import { GROUPINGS } from '../device-groups.ts';
import { DEVICE_SORTS, type SORT_COLUMNS } from '../words.ts';
import { named, queryInteger } from './operation.ts';
import { Time } from './records.ts';

/** Longest value of a filter: longer ones do not fit into every URL. */
export const MAX_FILTER_LENGTH = MAX_LENGTHS.label;

const withExactly = (field: string) =>
  z
    .string()
    .max(MAX_FILTER_LENGTH)
    .optional()
    .describe(`Only devices with exactly this ${field}; empty: only those without one.`);

/** A device must match all given filters. */
export const deviceFilters = {
  status: StatusFilter.optional().describe(
    'Only devices of this category. With `fields=all`, online, offline and down are only monitored devices, unless `watch` or `at` is given.',
  ),
  text: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe(
      'Only devices that contain this, or each of its words, in a name, MAC or IP address, vendor, model, type, owner, group, location or comment.',
    ),
  type: withExactly('devType'),
  group: withExactly('devGroup'),
  vendor: withExactly('devVendor'),
  model: withExactly('devModel'),
  watch: z
    .enum(['watched', 'unknown'])
    .optional()
    .describe(
      '`watched`: only devices that an agent monitors now. `unknown`: only the others, with their last known status.',
    ),
  port: queryInteger(1, 65_535).optional().meta({
    description: 'Only devices on which a scan found this port open. Up to a minute old; 400 together with `at`.',
    'x-checked-further': true,
  }),
};

export type SortColumn = (typeof SORT_COLUMNS)[number];

/** A column, with a leading hyphen for descending order. */
export const DeviceSort = z.enum(DEVICE_SORTS);
export type DeviceSort = z.infer<typeof DeviceSort>;
export const DEFAULT_SORT = 'mac' satisfies DeviceSort;

/** The statuses in ascending order: those that need attention first. Also for clients that sort a list themselves. */
export const STATUS_ORDER = ['down', 'offline', 'online', 'archived'] as const;

export const sortQuery = DeviceSort.optional().describe(
  'Default: `mac`. With a leading `-` descending. Names, types, vendors and groups ignore letter case and compare numbers ' +
    'in them as numbers; addresses compare as numbers, IPv4 first; the status in the order ' +
    `${STATUS_ORDER.join(', ')}; by lastConnection, monitored online devices count as seen now. Devices without a value come last in both directions, equal ones in the order of their MACs.`,
);

export const groupQuery = z
  .enum(GROUPINGS)
  .optional()
  .describe(
    'In groups of the same value, in its order, those without one last; within each group by `sort`. `subnet`: the network of 256 addresses of devLastIP; `new`: new devices, then the others.',
  );

/** Counted groups. */
export const MAX_GROUPS = 500;
export const Groups = z
  .array(z.object({ value: z.string().describe('Its first 64 characters.'), count: z.int().min(1) }))
  .max(MAX_GROUPS)
  .optional()
  .describe(`In pages with \`groupBy\` only: the first ${MAX_GROUPS} groups of all pages, in order.`);

/** The key of a device: its MAC, `Internet`, `~<uuid>` for a device without MAC, or a parent's name in topology. */
export const NodeId = z.string().min(1);

/** Whether the status of a device, which is always the last known one, is up to date. */
export const DeviceWatch = named('DeviceWatch', {
  state: z
    .enum(['watched', 'unwatched', 'never-watched'])
    .describe(
      '`watched`: a connected agent monitors a network of an address of the device, or, for a device without one, sees the device. `unwatched`: one did before. `never-watched`: none ever did; the device was imported.',
    ),
  since: Time.nullable().describe('Of `unwatched`: since when; null if no longer known.'),
});

/** A row of the list with `fields=all`. */
export const ListedDevice = DeviceRecord.extend({
  key: NodeId.describe('Its MAC, `Internet`, or `~<uuid>` for a device without MAC: as in topology.'),
  watch: DeviceWatch,
}).meta({ id: 'ListedDevice' });

/** Listed values of one field. */
export const MAX_FACET_VALUES = 500;

const Facet = named('Facet', {
  values: z
    .array(
      z.object({
        value: z.string().max(MAX_FILTER_LENGTH).describe('Empty for the devices without one.'),
        count: z.int().min(1).describe('How many devices have it.'),
      }),
    )
    .max(MAX_FACET_VALUES)
    .describe('The most frequent first.'),
  truncated: z
    .boolean()
    .describe(
      `Whether there are more: beyond the first ${MAX_FACET_VALUES}, or longer than ${MAX_FILTER_LENGTH} characters.`,
    ),
});
export type Facet = z.infer<typeof Facet>;

/** The values in use, by the names of their filters. */
export const Facets = z.object({
  type: Facet.describe('Values of devType.'),
  group: Facet.describe('Values of devGroup.'),
  vendor: Facet.describe('Values of devVendor.'),
  model: Facet.describe('Values of devModel.'),
  online: z.int().min(0).describe('How many devices that an agent watches are online.'),
  offline: z.int().min(0).describe('How many devices that an agent watches are neither online nor archived.'),
  down: z.int().min(0).describe('How many of these are down.'),
  unknown: z.int().min(0).describe('How many devices `watch=unknown` finds that are not archived.'),
  named: z.int().min(0).describe('How many devices that are not archived have a name that a person has set.'),
});
export type Facets = z.infer<typeof Facets>;

/** The field that a filter compares. */
export const FILTERED_FIELDS = { type: 'devType', group: 'devGroup', vendor: 'devVendor', model: 'devModel' } as const;

/** Where a page of the list begins. Longer than other cursors, because it has a value of the column that is sorted by. */
export const ListCursor = z.string().min(1).max(1_600).meta({
  description: '`nextCursor` of the page before, for the same sort, groups and filters.',
  'x-checked-further': true,
});
