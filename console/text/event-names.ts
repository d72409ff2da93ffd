/** The types of events that matter most. Their names are in the section `eventNames` of the messages. */
import type { EventType } from '../../shared/api/events.ts';

export const IMPORTANT: readonly EventType[] = [
  ...(['new', 'down', 'conflict', 'port-opened', 'check-down', 'check-up', 'certificate-ending'] as const),
  ...(['agent-update-failed', 'site-dark', 'site-back', 'internet-lost', 'internet-back'] as const),
  ...(['speed-low', 'outage', 'outage-over', 'turn-missed'] as const),
];
