/** The state of an agent in a few words. */
import agentTexts from 'messages:agents';
import { isOlder } from '../../../shared/agent/version-order.ts';
import type { Agent, ListedAgent } from '../../../shared/api/records.ts';
import { Status, type Tone } from '../../ui/status.tsx';
import { Moment } from '../../ui/time.tsx';

export const TONES = {
  enrolling: 'calm',
  online: 'good',
  draining: 'warn',
  offline: 'warn',
} as const satisfies Record<Agent['state'], Tone>;

/** @param isNamed with its id in front, as a name is often `main` */
export function AgentState({
  agent: { id, state, since },
  isNamed = false,
}: {
  agent: Pick<Agent, 'id' | 'state' | 'since'>;
  isNamed?: boolean;
}) {
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

/** The state of discovery, without its networks and problem. */
export function discoveryText(discovery: Agent['discovery']): string {
  if (discovery === null) return '';
  const { state, accuracy = 'full' } = discovery;
  const isReduced = state === 'on' && accuracy === 'reduced';
  return `${agentTexts.discoveryStates[state]}${isReduced ? `, ${agentTexts.reducedAccuracy}` : ''}`;
}

/** A newer release of the agent: available, installing or failed. */
export function updateText(agent: Pick<ListedAgent, 'version' | 'update' | 'updateAvailable'>): string {
  const { version, update, updateAvailable } = agent;
  const last = update?.last ?? null;
  // A failure no longer matters once the package was upgraded by hand.
  const isShown = last?.state === 'installing' || (last?.state === 'failed' && isOlder(version, last.version));
  if (last !== null && isShown) return agentTexts.updateStates[last.state](last);
  return updateAvailable === null ? '' : agentTexts.updateAvailable({ version: updateAvailable });
}
