/** Which types of events matter. What they are called is in the messages, in the section `eventNames`. */
import type { EventType } from '../../shared/api/events.ts';

/** What a person should hear of who looks at nothing else. */
export const IMPORTANT: readonly EventType[] = [
  ...(['new', 'down', 'conflict', 'port-opened', 'check-down', 'check-up', 'certificate-ending'] as const),
  ...(['agent-update-failed', 'site-dark', 'site-back', 'internet-lost', 'internet-back'] as const),
  ...(['speed-low', 'outage', 'outage-over', 'turn-missed'] as const),
];
