/** Whether a notification works, and when it told something last. What is well is said in grey. */
import texts from 'messages:notifications';
import type { Hook } from '../../../shared/api/hooks.ts';
import { Chip } from '../../ui/chip.tsx';
import { Status } from '../../ui/status.tsx';
import { Moment, Time } from '../../ui/time.tsx';

export function NotificationState({ hook: { enabled, problem, failingSince, deliveredAt } }: { hook: Hook }) {
  if (problem !== null) {
    return (
      <Status tone="bad">
        <span title={problem}>{texts.ended}</span>
      </Status>
    );
  }
  if (!enabled) return <Chip>{texts.off}</Chip>;
  if (failingSince !== null) {
    return (
      <Status tone="warn">
        <span>
          {texts.failingSince} <Moment at={failingSince} />
        </span>
      </Status>
    );
  }
  if (deliveredAt === null) return <span className="text-muted">{texts.neverTold}</span>;
  return (
    <span className="text-muted">
      {texts.told} <Time at={deliveredAt} />
    </span>
  );
}
