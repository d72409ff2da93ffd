/** The progress of the agent, step by step; a screen reader announces each change. */
import agentTexts from 'messages:agents';
import texts from 'messages:enrol';
import type { ReactNode } from 'react';
import type { ListedAgent, Site } from '../../../shared/api/records.ts';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { StatusShape, type Tone } from '../../ui/status.tsx';
import { showProblem } from '../../ui/toast.tsx';
import { AgentState } from '../agents/agent-state.tsx';
import type { Progress, StepState } from './progress.ts';

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

export function Steps({ site, progress, agent, discovery, devices }: Props) {
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
