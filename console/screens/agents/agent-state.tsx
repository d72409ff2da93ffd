/** How an agent is, in a few words. */
import agentTexts from 'messages:agents';
import { isOlder } from '../../../shared/agent/release.ts';
import type { Agent, ListedAgent } from '../../../shared/api/records.ts';
import { Status, type Tone } from '../../ui/status.tsx';
import { Moment } from '../../ui/time.tsx';

export const TONES = {
  enrolling: 'calm',
  online: 'good',
  draining: 'warn',
  offline: 'warn',
} as const satisfies Record<Agent['state'], Tone>;

/** @param isNamed whether its id stands in front, where nothing else says which one it is: a name is often `main` */
export function AgentState({
  agent,
  isNamed = false,
}: {
  agent: Pick<Agent, 'id' | 'state' | 'since'>;
  isNamed?: boolean;
}) {
  const { id, state, since } = agent;
  return (
    <Status tone={TONES[state]}>
      <span>
        {isNamed ? <strong>{id} </strong> : null}
        {agentTexts.states[state]}
        {since === null ? null : (
          <>
            {' '}
            {agentTexts.since} <Moment at={since} />
          </>
        )}
      </span>
    </Status>
  );
}

export function loadText(load: Agent['load']): string {
  if (load === null) return '';
  const { running, queued } = load;
  return running === 0 && queued === 0 ? agentTexts.idle : agentTexts.load({ running, queued });
}

/** How the agent watches its LAN, without its networks and what is wrong. */
export function discoveryText(discovery: Agent['discovery']): string {
  if (discovery === null) return '';
  const { state, accuracy = 'full' } = discovery;
  const isReduced = state === 'on' && accuracy === 'reduced';
  return `${agentTexts.discoveryStates[state]}${isReduced ? `, ${agentTexts.reducedAccuracy}` : ''}`;
}

/** What of the agent's release wants attention: that it could be newer, or is about to be, or could not. */
export function updateText({
  version,
  update,
  updateAvailable,
}: Pick<ListedAgent, 'version' | 'update' | 'updateAvailable'>): string {
  const last = update?.last ?? null;
  // Once somebody has upgraded the package, it does not matter any more what failed before.
  const isShown = last?.state === 'installing' || (last?.state === 'failed' && isOlder(version, last.version));
  if (last !== null && isShown) return agentTexts.updateStates[last.state](last);
  return updateAvailable === null ? '' : agentTexts.updateAvailable({ version: updateAvailable });
}
