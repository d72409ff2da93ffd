/** Warns that the agent of a running command is offline, so that its state is the last known one. */
import commandTexts from 'messages:commands';
import type { Job } from '../../shared/api/jobs.ts';
import { Status } from '../ui/status.tsx';
import { Moment } from '../ui/time.tsx';

export function AgentAway({ since }: { since: Job['agentOfflineSince'] }) {
  if (since === null) return null;
  const [before, after] = commandTexts.awaySince({ time: '\0' }).split('\0');
  return (
    <Status tone="warn">
      <span>
        {before}
        <Moment at={since} />
        {after}
      </span>
    </Status>
  );
}
