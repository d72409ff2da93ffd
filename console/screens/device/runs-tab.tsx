/** The commands about the device, each with its result and a button that runs it again. */
import commandTexts from 'messages:commands';
import texts from 'messages:device';
import { RotateCcw, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { Job } from '../../../shared/api/jobs.ts';
import type { Verified } from '../../../shared/tools/wake-on-lan.ts';
import { CommandView } from '../../commands/command-view.tsx';
import { JobRequest } from '../../commands/job-request.tsx';
import { runTimeMs, toneOfState } from '../../commands/job-texts.ts';
import { resultText } from '../../commands/result-text.ts';
import { type Command, hasEnded } from '../../commands/use-command.ts';
import { useJobs } from '../../commands/use-jobs.ts';
import { durationText } from '../../text/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import { Card } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { StatusShape } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { namesOf } from './runs.ts';
import { useDeviceScreen } from './screen.ts';
import type { DeviceTools } from './use-tools.ts';

const PAGE_SIZE = 100;

export function RunsTab({ tools }: { tools: DeviceTools }) {
  const { site, device } = useDeviceScreen();
  const list = useJobs(site, { limit: PAGE_SIZE, about: namesOf(device) || device.key });
  const runs = list.data?.pages.flatMap(({ jobs }) => jobs) ?? [];
  return (
    <Card title={texts.tabs.runs}>
      <Answered of={list}>
        {() =>
          runs.length === 0 ? (
            <Empty title={texts.noRuns}>
              <p>{list.hasNextPage ? texts.noRunsLately : texts.noRunsHint}</p>
              {tools.hasAddress ? (
                <Button disabled={tools.scan.isRunning} onClick={() => tools.startScan({ mode: 'fast' })}>
                  {texts.scanNow}
                </Button>
              ) : (
                <p>{texts.needsAddress}</p>
              )}
            </Empty>
          ) : (
            <ul className="grid min-w-0">
              {runs.map((job) => (
                <Run key={job.id} job={job} again={againOf(job, tools)} />
              ))}
            </ul>
          )
        }
      </Answered>
      <MoreButton of={list} />
    </Card>
  );
}

function Run({ job, again }: { job: Job; again: (() => void) | null }) {
  const title = commandTexts.tools[job.tool];
  const tookMs = runTimeMs(job);
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] gap-y-0.5 gap-x-3 items-center py-2 border-t border-line first:border-t-0">
      <div className="grid gap-0.5 min-w-0 wrap-anywhere">
        <div className="inline-flex flex-wrap items-center gap-y-0.5 gap-x-2 [&_a]:font-medium [&_a]:no-underline [&_a:hover]:underline">
          <StatusShape tone={toneOfState(job.state)} />
          <Link href={`/sites/${job.site}/runs/${job.id}`}>{title}</Link>
          <span data-foreign>{resultText(job)}</span>
        </div>
        <div className="text-muted text-sm">
          <Time at={job.createdAt} />
          {tookMs === null ? null : ` · ${durationText(tookMs)}`}
          {' · '}
          <JobRequest job={job} />
        </div>
      </div>
      {again === null ? null : (
        <Button look="quiet" disabled={!hasEnded(job)} aria-label={texts.againOf({ title })} onClick={again}>
          <RotateCcw aria-hidden="true" />
          {texts.again}
        </Button>
      )}
    </li>
  );
}

/** Runs the same command on the present addresses of the device. */
function againOf(job: Job, tools: DeviceTools): (() => void) | null {
  switch (job.tool) {
    case 'nmap': {
      const { mode, protocol } = job.request;
      return tools.hasAddress ? () => tools.startScan({ mode, protocol }) : null;
    }
    case 'wakeonlan':
      return tools.canWake ? tools.startWake : null;
    case 'traceroute':
      return tools.hasAddress ? tools.startTrace : null;
    case 'nslookup':
      return tools.hasAddress ? tools.startResolve : null;
    default:
      return null;
  }
}

/** The commands that were started here, followed until they are closed. */
export function Running({ tools: { wake, scan, trace, resolve } }: { tools: DeviceTools }) {
  return (
    <>
      <One title={commandTexts.tools.wakeonlan} command={wake}>
        {wake.job === null ? null : <Proof job={wake.job} />}
      </One>
      {/* Its ports, and below them what nmap has printed, stand in a tab. */}
      <One title={commandTexts.tools.nmap} command={scan} hidesOutput />
      <One title={commandTexts.tools.traceroute} command={trace} />
      <One title={commandTexts.tools.nslookup} command={resolve} />
    </>
  );
}

interface Props {
  title: string;
  command: Command;
  hidesOutput?: boolean;
  children?: ReactNode;
}

function One({ title, command, hidesOutput = false, children }: Props) {
  const { job, isRunning, problem } = command;
  const [closed, setClosed] = useState<unknown>(null);
  const shown = job?.id ?? problem;
  if ((shown === null && !isRunning) || (shown !== null && shown === closed)) return null;
  return (
    <section className="grid gap-3 min-w-0 px-4 py-3 border border-accent rounded-card bg-surface" aria-label={title}>
      <div className="flex flex-wrap items-center justify-between gap-y-2 gap-x-4">
        <h2>{title}</h2>
        {isRunning ? null : (
          <IconButton label={texts.closeOf({ title })} icon={<X />} onClick={() => setClosed(shown)} />
        )}
      </div>
      {children}
      <CommandView {...{ command, hidesOutput }} />
    </section>
  );
}

/** Whether an agent has seen the device awake: packets that were sent prove nothing. */
function Proof({ job }: { job: Job }) {
  if (job.tool !== 'wakeonlan' || !hasEnded(job)) return null;
  const verified = job.result?.verified;
  const wasEnded = job.state !== 'succeeded' && job.reason !== 'tool_failed';
  const absence = wasEnded ? texts.notSeenOut : texts.noProof;
  return (
    <p className="flex gap-2 items-baseline font-medium [&_svg]:flex-none" role="status">
      <StatusShape tone={verified === undefined ? 'warn' : 'good'} />
      <span>{verified === undefined ? absence : proofText(verified)}</span>
    </p>
  );
}

function proofText({ already, ip, afterMs }: Verified): string {
  return already ? texts.alreadyAwake({ ip }) : texts.proof({ ip, seconds: durationText(afterMs) });
}
