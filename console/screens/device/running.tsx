/** The commands that were started here, followed until they are closed. */
import commandTexts from 'messages:commands';
import texts from 'messages:device';
import { X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Job } from '../../../shared/api/jobs.ts';
import type { Verified } from '../../../shared/tools/wake-on-lan.ts';
import { CommandView } from '../../commands/command-view.tsx';
import { type Command, hasEnded } from '../../commands/use-command.ts';
import { durationText } from '../../text/format.ts';
import { IconButton } from '../../ui/button.tsx';
import { StatusShape } from '../../ui/status.tsx';
import type { DeviceTools } from './use-tools.ts';

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
