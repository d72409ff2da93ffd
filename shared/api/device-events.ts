/** What has happened to devices. */
import { McpLimit } from '../mcp-tool.ts';
import { DeviceName, DeviceParams, READ_ONLY } from './device-terms.ts';
import { EventList, EventQuery, exampleEvents } from './events.ts';
import type { Operations } from './operation.ts';

const ABOUT_EVENTS =
  'the newest first; with `Accept: text/event-stream` the new ones as they happen, for two minutes, and on from `Last-Event-ID`';

export const deviceEvents = {
  listDeviceEvents: {
    method: 'GET',
    path: '/devices/{mac}/events',
    scope: 'devices:read',
    perSite: true,
    summary: `What has happened to one device, also to one that was deleted; ${ABOUT_EVENTS}`,
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
    method: 'GET',
    path: '/events',
    scope: 'devices:read',
    perSite: true,
    summary: `What has happened to the devices of the site; ${ABOUT_EVENTS}`,
    query: EventQuery.extend({
      device: DeviceName.optional().meta({ description: 'Only events of this device, named as in paths.' }),
    }),
    response: EventList,
    otherMedia: ['text/event-stream'],
    hasEtag: true,
    mcp: {
      name: 'what_changed',
      title: 'What has changed',
      description:
        'What has happened to the devices of a site, the newest first: new devices, online, offline, down, changed addresses, names and fields, deletions, imports. ' +
        'Pass since as a time such as 2026-11-01T08:15:00Z to see only what is newer.',
      annotations: READ_ONLY,
      arguments: { limit: { schema: McpLimit } },
    },
    example: { response: exampleEvents },
  },
} as const satisfies Operations;
