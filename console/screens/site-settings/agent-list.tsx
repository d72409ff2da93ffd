/** The agents of a site, with what each has said of itself. */
import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import type { Agent, ListedAgent } from '../../../shared/api/records.ts';
import { type AnswerOf, ask } from '../../api/client.ts';
import { useRights } from '../../api/rights.ts';
import { dateTimeText } from '../../text/format.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { FormDialog, useConfirmation } from '../../ui/form.tsx';
import { List } from '../../ui/list.tsx';
import { agentName } from '../agents/agent-name.ts';
import { AgentState, loadText, updateText } from '../agents/agent-state.tsx';
import { agentTexts } from '../agents/texts.ts';
import styles from './site-settings.module.css';
import { texts } from './texts.ts';

type Answer = AnswerOf<'GET /sites/{site}/agents'>;

export function AgentList({ site, agents }: { site: string; agents: UseQueryResult<Answer> }) {
  const mayAdminister = useRights().may('admin');
  const [revoking, setRevoking] = useState<string | null>(null);
  return (
    <>
      <List
        of={agents}
        pages={agents.data && [agents.data]}
        rows={(answer) => answer.agents}
        keyOf={({ id }) => id}
        label={texts.agents}
        item={(agent) => (
          <div className={styles.agent}>
            <div className={styles.agentHead}>
              <h3>{agentName(agent.id)}</h3>
              <AgentState agent={agent} />
              {mayAdminister ? (
                <Button
                  className={styles.end ?? ''}
                  aria-label={texts.revokeOf(agentName(agent.id))}
                  onClick={() => setRevoking(agentName(agent.id))}
                >
                  {texts.revoke}
                </Button>
              ) : null}
            </div>
            <Details agent={agent} />
          </div>
        )}
        empty={{ title: texts.noAgents, hint: texts.noAgentsWhy }}
        unreadable={texts.unreadableAgents}
      />
      {mayAdminister ? (
        <div>
          <LinkButton to={`/sites/${site}/agents/new`}>{texts.addAgent}</LinkButton>
        </div>
      ) : null}
      {revoking === null ? null : (
        <RevokeAgent
          site={site}
          name={revoking}
          isLast={agents.data?.agents.every(({ id }) => agentName(id) === revoking) ?? false}
          onClose={() => setRevoking(null)}
        />
      )}
    </>
  );
}

interface RevokeProps {
  site: string;
  name: string;
  isLast: boolean;
  onClose: () => void;
}

function RevokeAgent({ site, name, isLast, onClose }: RevokeProps) {
  const form = useConfirmation({
    send: () => ask('DELETE /sites/{site}/agents/{name}', { params: { site, name } }),
    toast: texts.revoked(name),
    onDone: onClose,
  });
  return (
    <FormDialog form={form} title={texts.revokeTitle(name)} submit={texts.revoke} look="danger" onClose={onClose}>
      <p>{texts.revokeWhat}</p>
      {isLast ? <p>{texts.revokeLast}</p> : null}
    </FormDialog>
  );
}

function Details({ agent }: { agent: ListedAgent }) {
  const installed = Object.entries(agent.programs).filter(([, version]) => version !== null);
  const missing = Object.entries(agent.programs).filter(([, version]) => version === null);
  return (
    <Facts
      facts={[
        [texts.version, [agent.version ?? '', updateText(agent)].filter((part) => part !== '').join(', ')],
        [texts.ring, agent.ring === null ? '' : texts.rings[agent.ring]],
        [texts.lastUpdate, lastUpdate(agent)],
        [texts.problem, agent.problem ?? ''],
        [texts.load, loadText(agent.load)],
        [texts.hostNetworks, agent.networks.join(', ')],
        [texts.discovery, discoveryText(agent.discovery)],
        [texts.tools, installed.map(([name, version]) => `${name} ${version}`).join(', ')],
        [texts.missingTools, missing.map(([name]) => name).join(', ')],
        [texts.capabilities, agent.capabilities.join(', ')],
      ]}
    />
  );
}

function lastUpdate({ update }: ListedAgent): string {
  const last = update?.last ?? null;
  if (last === null) return '';
  const { version, state, reason, at } = last;
  return [`${agentTexts.updateStates[state](version)}, ${dateTimeText(new Date(at))}`, reason ?? '']
    .filter((part) => part !== '')
    .join(': ');
}

function discoveryText(discovery: Agent['discovery']): string {
  if (discovery === null) return '';
  const { state, accuracy = 'full', networks = [], problem = '' } = discovery;
  const { discoveryStates } = agentTexts;
  const parts = [
    networks.length === 0 ? discoveryStates[state] : `${discoveryStates[state]}, ${texts.watches(networks.join(', '))}`,
    texts.accuracy[accuracy],
    problem,
  ];
  return parts.filter((part) => part !== '').join('; ');
}
