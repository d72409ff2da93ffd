/** The types of events by what they are about. */
import type { EventType } from '../../shared/api/events.ts';

export const EVENT_GROUPS = [
  {
    label: 'Devices',
    types: [
      'new',
      'found',
      'online',
      'offline',
      'down',
      'ip-changed',
      'conflict',
      'renamed',
      'edited',
      'archived',
      'deleted',
      'restored',
      'imported',
      'joined',
      'split',
    ],
  },
  { label: 'Ports', types: ['port-opened', 'port-closed'] },
  { label: 'Checks', types: ['check-down', 'check-up', 'certificate-ending', 'route-changed'] },
  {
    label: 'Sites',
    types: [
      'outage',
      'outage-over',
      'site-dark',
      'site-back',
      'agent-lost',
      'agent-back',
      'agent-update-failed',
      'internet-lost',
      'internet-back',
      'address-changed',
      'speed-low',
      'speed-normal',
      'turn-missed',
    ],
  },
] as const satisfies { label: string; types: EventType[] }[];
