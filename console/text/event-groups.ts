/** The types of events, grouped by subject. */
import labels from 'messages:eventGroups';
import type { EventType } from '../../shared/api/events.ts';

export const EVENT_GROUPS = [
  {
    label: labels.devices,
    types: [
      ...['new', 'found', 'online', 'offline', 'down', 'ip-changed', 'conflict', 'renamed', 'edited'],
      ...['archived', 'deleted', 'restored', 'imported', 'joined', 'split'],
    ],
  },
  { label: labels.ports, types: ['port-opened', 'port-closed'] },
  { label: labels.checks, types: ['check-down', 'check-up', 'certificate-ending', 'route-changed'] },
  {
    label: labels.sites,
    types: [
      ...['outage', 'outage-over', 'site-dark', 'site-back', 'agent-lost', 'agent-back', 'agent-update-failed'],
      ...['internet-lost', 'internet-back', 'address-changed', 'speed-low', 'speed-normal', 'turn-missed'],
    ],
  },
] as const satisfies { label: string; types: readonly EventType[] }[];
