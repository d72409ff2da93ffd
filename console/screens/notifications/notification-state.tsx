/** Whether a notification works, and its last delivery; grey unless something is wrong. */
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
  if (deliveredAt === null) return <span className="text-muted">{texts.neverDelivered}</span>;
  return (
    <span className="text-muted">
      {texts.lastDelivery} <Time at={deliveredAt} />
    </span>
  );
}
