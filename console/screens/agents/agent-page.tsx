/** One agent: its state and how to mend it, its host, its connections and its last runs. */
import texts from 'messages:agent';
import agentTexts from 'messages:agents';
import commandTexts from 'messages:commands';
import { KeyRound, Plus, Trash2 } from 'lucide-react';
import { Link } from 'wouter';
import type { ListedAgent } from '../../../shared/api/records.ts';
import { shellWord } from '../../../shared/install-line.ts';
import { type AnswerOf, ask } from '../../api/client.ts';
import { problemOf } from '../../api/problem.ts';
import { useAnswer, useChange } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { BASE_URL } from '../../api/session.ts';
import { useSiteName } from '../../api/site-name.ts';
import { titleOfJob, toneOfState } from '../../commands/job-texts.ts';
import { dateTimeText } from '../../text/format.ts';
import { Allowed } from '../../ui/allowed.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyLine } from '../../ui/copy-line.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { Status } from '../../ui/status.tsx';
import { Time, useNow } from '../../ui/time.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import { agentName } from './agent-name.ts';
import { discoveryText, loadText, updateText } from './agent-state.tsx';
import styles from './agents.module.css';
import { AlertOffer } from './alert-offer.tsx';
import { Connections } from './connections.tsx';
import { lastedText } from './lasted-text.ts';
import { Standing } from './standing.tsx';

/** Runs listed. */
const RUNS = 5;

type OneAgent = AnswerOf<'GET /sites/{site}/agents/{name}'>;

export default function AgentPage({ site, id: name }: { site: string; id: string }) {
  return (
    <Allowed scope="nettools:run" title={texts.title({ name })} needs={texts.needsNettools}>
      <FoundAgent site={site} name={name} />
    </Allowed>
  );
}

function FoundAgent({ site, name }: { site: string; name: string }) {
  const agent = useAnswer('GET /sites/{site}/agents/{name}', { params: { site, name } });
  const isAdmin = useRights().may('admin');
  const title = texts.title({ name });
  // Also if it is revoked while its page is open.
  if (agent.error !== null && problemOf(agent.error).code === 'not_found') {
    return (
      <Page title={title}>
        <NoAgent site={site} name={name} isAdmin={isAdmin} />
      </Page>
    );
  }
  const revocation = (close: () => void) => <RevokeAgent site={site} name={name} onClose={close} />;
  const host = agent.data?.host?.name ?? '';
  return (
    <Page
      title={title}
      heading={
        <h1 className="flex flex-wrap items-baseline gap-x-2">
          <span data-foreign>{name}</span>
          {host === '' || host === name ? null : (
            <span className="text-muted text-md font-normal tracking-[normal]" data-foreign>
              {host}
            </span>
          )}
        </h1>
      }
      actions={
        isAdmin && agent.data !== undefined ? (
          <>
            <AlertOffer site={site} />
            <Menu
              label={texts.more({ name })}
              items={[
                { label: texts.add, icon: <Plus />, to: `/sites/${site}/agents/new` },
                { label: texts.enrolAgain, icon: <KeyRound />, to: enrolAddress(site, name) },
                { label: agentTexts.revoke, icon: <Trash2 />, isDanger: true, dialog: revocation },
              ]}
            />
          </>
        ) : undefined
      }
    >
      <Answered of={agent}>{(answer) => <Parts site={site} agent={answer} isAdmin={isAdmin} />}</Answered>
    </Page>
  );
}

/** The form that enrols a host in place of this agent. */
function enrolAddress(site: string, name: string): string {
  return `/sites/${site}/agents/new/${name}`;
}

function Parts({ site, agent, isAdmin }: { site: string; agent: OneAgent; isAdmin: boolean }) {
  const rights = useRights();
  const name = agentName(agent.id);
  const { discovery, networks } = agent;
  return (
    <div className={styles.parts}>
      <div className="grid gap-4 min-w-0">
        <Standing agent={agent} enrolAt={isAdmin ? enrolAddress(site, name) : null} />
        <Card title={texts.connections}>
          <Connections connections={agent.connections} />
        </Card>
        <RecentRuns site={site} agent={agent.id} />
      </div>
      <div className="grid gap-4 min-w-0">
        <Card title={texts.host}>
          <HostFacts agent={agent} />
        </Card>
        <Card title={texts.program}>
          <ProgramFacts agent={agent} />
          <UpdateOffer site={site} agent={agent} />
        </Card>
        <Card title={texts.watches}>
          <Facts
            facts={[
              [agentTexts.discovery, discoveryText(discovery)],
              [
                texts.watched,
                <Networks key="watched" networks={[...(discovery?.networks ?? []), ...(discovery?.bySources ?? [])]} />,
              ],
              [texts.networks, <Networks key="own" networks={networks} />],
            ]}
          />
          <div className="flex flex-wrap gap-2">
            {rights.may('devices:read') ? (
              <LinkButton to={`/sites/${site}/devices`}>{texts.toDevices}</LinkButton>
            ) : null}
            {isAdmin ? <LinkButton to={`/sites/${site}/settings`}>{texts.settings}</LinkButton> : null}
          </div>
        </Card>
      </div>
    </div>
  );
}

function Networks({ networks }: { networks: readonly string[] }) {
  if (networks.length === 0) return '–';
  return (
    <ul className="grid gap-0.5">
      {networks.map((network) => (
        <li key={network}>
          <code data-foreign>{network}</code>
        </li>
      ))}
    </ul>
  );
}

const foreign = (text: string) => <span data-foreign>{text}</span>;

function HostFacts({ agent: { host, state } }: { agent: OneAgent }) {
  const now = useNow();
  if (host === null) return <p className="text-muted">{texts.notSaid}</p>;
  const isThere = state === 'online' || state === 'draining';
  return (
    <Facts
      facts={[
        [texts.name, foreign(host.name)],
        [texts.platform, foreign(host.platform)],
        [texts.address, host.addresses.length === 0 ? '' : <Networks key="addresses" networks={host.addresses} />],
        [texts.running, isThere ? lastedText(Math.max(0, now - Date.parse(host.startedAt))) : ''],
      ]}
    />
  );
}

function ProgramFacts({ agent }: { agent: OneAgent }) {
  const programs = Object.entries(agent.programs);
  const installed = programs.flatMap(([tool, version]) => (version === null ? [] : [`${tool} ${version}`]));
  const missing = programs.flatMap(([tool, version]) => (version === null ? [tool] : []));
  const last = agent.update?.last ?? null;
  return (
    <Facts
      facts={[
        [texts.version, [agent.version ?? '', updateText(agent)].filter((part) => part !== '').join(', ')],
        [
          texts.lastUpdate,
          last === null
            ? ''
            : [`${agentTexts.updateStates[last.state](last)}, ${dateTimeText(new Date(last.at))}`, last.reason ?? '']
                .filter((part) => part !== '')
                .join(': '),
        ],
        [texts.ring, agent.ring === null ? '' : agentTexts.rings[agent.ring]],
        [texts.certificate, agent.certificateEndsAt === null ? '' : dateTimeText(new Date(agent.certificateEndsAt))],
        [texts.load, loadText(agent.load)],
        [texts.tools, installed.join(', ')],
        [texts.missing, missing.join(', ')],
        [texts.capabilities, agent.capabilities.join(', ')],
      ]}
    />
  );
}

function RecentRuns({ site, agent }: { site: string; agent: string }) {
  const runs = useAnswer('GET /jobs', { site, query: { agent, limit: RUNS } });
  return (
    <Card title={texts.runs}>
      <Answered of={runs}>
        {({ jobs }) =>
          jobs.length === 0 ? (
            <p className="text-muted">{texts.noRuns}</p>
          ) : (
            <>
              <ul
                className={`${styles.runs} [&_li:last-child]:border-b-0 [&_a]:py-1 [&_a]:text-text [&_a]:no-underline [&_a]:truncate [&_a:hover]:underline`}
                aria-label={texts.runs}
              >
                {jobs.map((job) => (
                  <li key={job.id}>
                    <Link href={`/sites/${site}/runs/${job.id}`} data-foreign>
                      {titleOfJob(job)}
                    </Link>
                    <Status tone={toneOfState(job.state)}>{commandTexts.states[job.state]}</Status>
                    <span className="text-muted">
                      <Time at={job.createdAt} />
                    </span>
                  </li>
                ))}
              </ul>
              <div>
                <LinkButton to={`/sites/${site}/runs`}>{texts.allRuns}</LinkButton>
              </div>
            </>
          )
        }
      </Answered>
    </Card>
  );
}

function NoAgent({ site, name, isAdmin }: { site: string; name: string; isAdmin: boolean }) {
  const siteName = useSiteName(site);
  return (
    <Empty title={texts.noAgent({ name, site: siteName })}>
      <p>{texts.noAgentWhy}</p>
      <div className="flex flex-wrap gap-2">
        <LinkButton to="/admin/agents" look="primary">
          {texts.toAgents}
        </LinkButton>
        {isAdmin ? <LinkButton to={`/sites/${site}/agents/new`}>{texts.addAgain}</LinkButton> : null}
      </div>
    </Empty>
  );
}

function RevokeAgent({ site, name, onClose }: { site: string; name: string; onClose: () => void }) {
  const { data } = useAnswer('GET /sites/{site}/agents', { params: { site } }, { everyMs: 0 });
  const isLast = data?.agents.every(({ id }) => agentName(id) === name) ?? false;
  return (
    <ConfirmDialog
      title={agentTexts.revokeTitle({ name })}
      submit={agentTexts.revokeSubmit}
      send={() => ask('DELETE /sites/{site}/agents/{name}', { params: { site, name } })}
      toast={agentTexts.revoked({ name })}
      onClose={onClose}
    >
      <p>{agentTexts.revokeWhat}</p>
      {isLast ? <p>{agentTexts.revokeLast}</p> : null}
    </ConfirmDialog>
  );
}

/** A newer release for an agent: when it updates automatically, how to make it so, and the line for its host. */
function UpdateOffer({ site, agent }: { site: string; agent: ListedAgent }) {
  const rights = useRights();
  const name = useSiteName(site);
  const change = useChange('PATCH /sites/{site}');
  const settings = useAnswer(
    'GET /sites/{site}',
    { params: { site } },
    { when: agent.updateAvailable !== null && rights.may('devices:read') },
  );
  if (agent.updateAvailable === null || !rights.may('admin')) return null;
  const isAble = agent.update?.able === true;
  if (isAble && settings.data?.updates.mode === 'auto') return <p className="text-muted">{texts.updateSoon}</p>;
  return (
    <div className="grid gap-2 min-w-0 pt-3 border-t border-line">
      <strong>{texts.updateTo({ version: agent.updateAvailable })}</strong>
      {isAble ? (
        <div>
          <Button
            look="primary"
            disabled={change.isPending}
            onClick={() =>
              change.mutate(
                { params: { site }, body: { updates: { mode: 'auto' } } },
                { onSuccess: () => showToast(texts.updateSelfDone({ site: name })), onError: showProblem },
              )
            }
          >
            {texts.updateSelf}
          </Button>
        </div>
      ) : null}
      <p className="text-muted">{texts.updateByHand}</p>
      <CopyLine
        label={texts.updateByHand}
        text={`curl -fsSL ${shellWord(`${BASE_URL}/agent/install.sh`)} | sh -s -- --url ${shellWord(BASE_URL)}`}
      />
    </div>
  );
}
