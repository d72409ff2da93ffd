/** The line that enrols a host, then the new agent and its first devices. */
import agentTexts from 'messages:agents';
import texts from 'messages:enrol';
import type { ReactNode } from 'react';
import type { ListedAgent, Site } from '../../../shared/api/records.ts';
import type { DeviceSummary } from '../../../shared/device.ts';
import { UNKNOWN_NAMES } from '../../../shared/words.ts';
import { POLL_MS, useAnswer, useChange } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { StatusShape, type Tone } from '../../ui/status.tsx';
import { showProblem } from '../../ui/toast.tsx';
import { agentName } from '../agents/agent-name.ts';
import { AgentState } from '../agents/agent-state.tsx';
import { findCode } from './codes.ts';
import { HostSteps } from './host-steps.tsx';
import { type Progress, progressOf, type StepState } from './progress.ts';

/** Devices listed, the newest first. */
const NAMED = 24;

export default function Enrolment({ site: id, id: name }: { site: string; id: string }) {
  const rights = useRights();
  const params = { site: id };
  const everyMs = POLL_MS.lively;
  const site = useAnswer('GET /sites/{site}', { params }, { everyMs, when: rights.may('devices:read') });
  const maySee = rights.may('nettools:run');
  const agents = useAnswer('GET /sites/{site}/agents', { params }, { everyMs, when: maySee });
  const devices = useAnswer(
    'GET /devices',
    { site: id, query: { limit: NAMED, sort: '-firstConnection' } },
    { everyMs, when: rights.may('devices:read') },
  );
  // The rights are still loading.
  if (rights.tokenId === '') return null;
  if (!rights.may('admin')) return <Empty title={texts.needsAdmin} />;

  const made = findCode(id, name);
  const agent = agents.data?.agents.find((one) => agentName(one.id) === name);
  const count = devices.data?.total ?? 0;
  return (
    <Page
      title={texts.agent({ name, site: site.data?.name ?? id })}
      actions={<LinkButton to={`/sites/${id}/settings`}>{texts.toSettings}</LinkButton>}
    >
      <Answered of={site}>
        {({ discovery }) => {
          const progress = progressOf({ agent, replaced: made?.replaced ?? null, discovery, devices: count });
          const isEnrolled = progress.enrolled === 'done';
          return (
            <div className="grid gap-4 max-w-(--measure)">
              {isEnrolled ? null : <HostSteps site={id} made={made} />}
              <Card title={isEnrolled ? texts.agentIs : texts.wait}>
                {maySee ? (
                  <Steps
                    {...{ site: id, progress, agent: isEnrolled ? agent : undefined, discovery, devices: count }}
                  />
                ) : (
                  <p>{texts.mayNotSee}</p>
                )}
                {count === 0 || progress.online !== 'done' ? null : (
                  <>
                    <div className="flex flex-wrap gap-2">
                      <LinkButton to={`/sites/${id}/devices`} look={progress.devices === 'done' ? 'primary' : 'plain'}>
                        {texts.toDevices}
                      </LinkButton>
                      <LinkButton to={`/sites/${id}/agents/${name}`}>{texts.toAgent}</LinkButton>
                    </div>
                    <Newcomers devices={devices.data?.devices ?? []} />
                  </>
                )}
              </Card>
            </div>
          );
        }}
      </Answered>
    </Page>
  );
}

function Newcomers({ devices }: { devices: readonly (DeviceSummary | object)[] }) {
  return (
    <section aria-label={texts.firstDevices}>
      <h3>{texts.firstDevices}</h3>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(260px,100%),1fr))] gap-2 mt-2">
        {devices.filter(isSummary).map(({ devName, devIP, devMAC }) => {
          const names = [UNKNOWN_NAMES.includes(devName) ? '' : devName, devIP, devMAC];
          const [title = '', ...about] = names.filter((part) => part !== '');
          return (
            <li key={devMAC} className="grid min-w-0 px-3 py-2 border border-line rounded-control [&>*]:truncate">
              <strong data-foreign title={title}>
                {title}
              </strong>
              <span className="text-muted text-sm tabular-nums" data-foreign>
                {about.join(' · ')}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function isSummary(device: object): device is DeviceSummary {
  return 'devMAC' in device;
}

const TONES = { done: 'good', waiting: 'calm', later: 'calm', problem: 'warn' } as const satisfies Record<
  StepState,
  Tone
>;

interface Props {
  site: string;
  progress: Progress;
  /** Undefined before it is enrolled. */
  agent: ListedAgent | undefined;
  discovery: Site['discovery'];
  devices: number;
}

/** The progress of the agent, step by step; a screen reader announces each change. */
function Steps({ site, progress, agent, discovery, devices }: Props) {
  const { steps } = texts;
  return (
    <ol className="grid gap-3.5" aria-live="polite">
      <Step state={progress.enrolled} title={progress.enrolled === 'done' ? steps.enrolled : steps.enrolledWaiting} />
      <Step state={progress.online} title={progress.online === 'waiting' ? steps.onlineWaiting : steps.online}>
        {progress.online === 'waiting' ? <p>{steps.onlineHint}</p> : null}
        {agent !== undefined && agent.state !== 'enrolling' ? (
          <p className="flex flex-wrap gap-x-3">
            {agent.state === 'online' ? null : <AgentState agent={agent} />}
            {agent.host === null ? null : <span data-foreign>{agent.host.name}</span>}
            {agent.version === null ? null : <span>{agentTexts.version({ version: agent.version })}</span>}
          </p>
        ) : null}
      </Step>
      <Step state={progress.devices} title={devicesTitle(progress.devices, devices)}>
        {progress.online === 'done' ? <Discovery {...{ site, agent, discovery }} /> : null}
      </Step>
    </ol>
  );
}

function devicesTitle(state: StepState, count: number): string {
  const { steps } = texts;
  if (state === 'done') return steps.devices({ count });
  if (state === 'waiting') return steps.devicesWaiting;
  return count === 0 ? steps.devicesLater : steps.devicesKnown({ count });
}

function Discovery({ site, agent, discovery }: Pick<Props, 'site' | 'agent' | 'discovery'>) {
  const change = useChange('PATCH /sites/{site}');
  const { steps, switchOn } = texts;
  if (!discovery.enabled) {
    return (
      <>
        <p>{steps.discoveryOff}</p>
        <Button
          look="primary"
          disabled={change.isPending}
          onClick={() =>
            change.mutate({ params: { site }, body: { discovery: { enabled: true } } }, { onError: showProblem })
          }
        >
          {switchOn}
        </Button>
      </>
    );
  }
  const { state, networks = [], problem } = agent?.discovery ?? {};
  const words = state === 'not-allowed' || state === 'failing' ? agentTexts.discoveryStates[state] : null;
  return (
    <>
      {words === null ? null : (
        <p>
          {agentTexts.discovery}: {words}
        </p>
      )}
      {problem === undefined ? null : <p data-foreign>{problem}</p>}
      {state === 'on' && networks.length > 0 ? <p>{steps.looksAt({ networks: networks.join(', ') })}</p> : null}
    </>
  );
}

function Step({ state, title, children }: { state: StepState; title: string; children?: ReactNode }) {
  return (
    <li
      // The line leads from each step to the next.
      className="relative flex gap-3 data-later:text-muted not-last:before:absolute not-last:before:inset-[22px_auto_-12px_5.5px] not-last:before:w-px not-last:before:bg-line"
      aria-current={state === 'waiting' ? 'step' : undefined}
      data-later={state === 'later' || undefined}
    >
      <span className="flex-none pt-px">
        <StatusShape tone={TONES[state]} />
        <span className="visually-hidden">{texts.states[state]}: </span>
      </span>
      <div className="grid gap-1 justify-items-start min-w-0 wrap-anywhere">
        <strong>{title}</strong>
        {children}
      </div>
    </li>
  );
}
