/** `/metrics`: metrics for Prometheus, and for programs that read those of NetAlertX. */
import * as z from 'zod';
import { SiteId } from '../identity.ts';
import { thousands } from '../text.ts';
import { OnlySites } from './list.ts';
import { type Operations, route } from './operation.ts';

/** Devices with a series of their own, over all sites. */
export const MAX_LISTED_DEVICES = 5_000;

export const metrics = {
  getMetrics: {
    ...route('GET', '/metrics', 'devices:read'),
    summary: 'Devices and agents of the sites that the token may use, in the text format of Prometheus',
    query: z.object({
      site: SiteId.optional().describe('Only this site.'),
      sites: OnlySites,
      devices: z
        .enum(['true', 'false'], { error: 'expected true or false' })
        .default('false')
        .describe(
          'With `true` also `netalertx_device_status`, one series for each device, for the first ' +
            `${thousands(MAX_LISTED_DEVICES)} of them. Its high cardinality costs Prometheus much more than all other ` +
            'metrics together.',
        ),
    }),
    response: z.string().describe('Text, version 0.0.4 of the format.'),
    mediaType: 'text/plain',
    hasEtag: true,
    errors: ['site_forbidden'],
    example: {
      response:
        '# HELP netalertx_connected_devices Devices that are online\n' +
        '# TYPE netalertx_connected_devices gauge\n' +
        'netalertx_connected_devices 31\n',
    },
  },
} as const satisfies Operations;
