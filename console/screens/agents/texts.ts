/** How agents are described, wherever they are shown. */
import { numberText } from '../../text/format.ts';

export const agentTexts = {
  states: {
    enrolling: 'enrolled, not connected yet',
    online: 'online',
    draining: 'stopping',
    offline: 'offline',
  },
  since: 'since',
  version: (version: string) => `version ${version}`,
  updateAvailable: (version: string) => `${version} available`,
  updateStates: {
    installing: (version: string) => `becomes ${version}`,
    done: (version: string) => `became ${version}`,
    failed: (version: string) => `${version} failed`,
  },
  load: (running: number, queued: number) =>
    queued === 0 ? `${numberText(running)} running` : `${numberText(running)} running, ${numberText(queued)} waiting`,
  idle: 'idle',
  discovery: 'Discovery',
  discoveryStates: {
    on: 'on',
    off: 'off',
    'not-allowed': 'not allowed by the policy on its host',
    failing: 'failing',
    'another-network': 'waiting: its host seems to be on a different network',
  },
};
