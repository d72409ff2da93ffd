/** The events of devices. */
import { McpLimit } from '../mcp-tool.ts';
import { DeviceName, DeviceParams } from './device-terms.ts';
import { EventList, EventQuery, exampleEvents } from './events.ts';
import { OnlySites } from './list.ts';
import { Cursor, type Operations, onSite } from './operation.ts';

const ABOUT_EVENTS =
  'the newest first; with `Accept: text/event-stream` a stream of new ones, for two minutes, which continues after `Last-Event-ID`';

export const deviceEvents = {
  listDeviceEvents: {
    ...onSite('GET', '/devices/{mac}/events', 'devices:read'),
    summary: `The events of one device, which may be deleted; ${ABOUT_EVENTS}`,
    params: DeviceParams,
    onlyKnownPaths: true,
    query: EventQuery,
    response: EventList,
    otherMedia: ['text/event-stream'],
    hasEtag: true,
    errors: ['not_found'],
    example: { params: { mac: '00:1E:06:AA:BB:01' }, response: exampleEvents },
  },
  listEvents: {
    ...onSite('GET', '/events', 'devices:read'),
    summary: `The events of the site and its devices; ${ABOUT_EVENTS}`,
    query: EventQuery.extend({
      sites: OnlySites.meta({
        'x-checked-further': true,
        description:
          'The events of several sites as one list, each with its `site`: ids and tags separated by commas, or `*` for all that the token may read. Not for a stream.',
      }),
      cursor: Cursor.optional(),
      device: DeviceName.optional().describe('Only events of this device, named as in paths.'),
    }),
    response: EventList,
    otherMedia: ['text/event-stream'],
    hasEtag: true,
    mcp: {
      name: 'what_changed',
      title: 'What has changed',
      description:
        'The events of the devices of a site, the newest first: new devices, online, offline, down, changed addresses, names and fields, deletions, imports. ' +
        'Pass since as a time such as 2026-11-01T08:15:00Z to get only newer ones.',
      arguments: { limit: { schema: McpLimit } },
    },
    example: { response: exampleEvents },
  },
} as const satisfies Operations;
