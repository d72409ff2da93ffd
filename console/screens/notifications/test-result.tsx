/** What became of a test: of one to a receiver that there is no notification for yet, and of one of a notification. */
import texts from 'messages:notifications';
import type { ReactNode } from 'react';
import type { Delivery, Hook } from '../../../shared/api/hooks.ts';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { ProblemBox } from '../../ui/state.tsx';
import { Status } from '../../ui/status.tsx';
import styles from './notifications.module.css';

interface Props {
  site: string;
  url: string;
  format: Hook['format'];
  label: string;
  icon: ReactNode;
  isReady: boolean;
}

export function TestOfReceiver({ site, url, format, label, icon, isReady }: Props) {
  const { mutate, data, error, isPending } = useChange('POST /hooks/test');
  return (
    <div className={`${styles.try} grid grid-cols-[auto_minmax(0,1fr)] items-center gap-y-2 gap-x-3 min-w-0 text-sm`}>
      <Button disabled={!isReady || isPending} onClick={() => mutate({ site, body: { url, format } })}>
        {icon}
        {label}
      </Button>
      <div role="status" className="wrap-anywhere">
        {isPending ? <span className="text-muted">{texts.testing}</span> : null}
        {!isPending && data !== undefined ? (
          data.delivered ? (
            <Status tone="good">{texts.testArrived}</Status>
          ) : (
            <Status tone="bad">{texts.testFailed({ reason: data.reason ?? texts.noReason })}</Status>
          )
        ) : null}
      </div>
      {error === null || isPending ? null : <ProblemBox error={error} />}
    </div>
  );
}

export function TestResult({ sent: { state, reason } }: { sent: Delivery }) {
  if (state === 'delivered') return <Status tone="good">{texts.testArrived}</Status>;
  return <Status tone="bad">{texts.testFailed({ reason: reason ?? texts.noReason })}</Status>;
}
