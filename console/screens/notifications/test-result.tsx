/** The result of a test: of a receiver without a notification yet, or of a notification. */
import texts from 'messages:notifications';
import { Send } from 'lucide-react';
import type { Hook } from '../../../shared/api/hooks.ts';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { ProblemBox } from '../../ui/state.tsx';
import { Status } from '../../ui/status.tsx';

interface Props {
  site: string;
  /** Empty while it is incomplete. */
  url: string;
  format: Hook['format'];
}

export function TestOfReceiver({ site, url, format }: Props) {
  const { mutate, data, error, isPending } = useChange('POST /hooks/test');
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-y-2 gap-x-3 min-w-0 text-sm [&>[role=alert]]:col-span-full">
      <Button disabled={url === '' || isPending} onClick={() => mutate({ site, body: { url, format } })}>
        <Send aria-hidden="true" />
        {texts.test}
      </Button>
      <div role="status" className="wrap-anywhere">
        {isPending ? <span className="text-muted">{texts.testing}</span> : null}
        {!isPending && data !== undefined ? (
          <TestResult result={{ state: data.delivered ? 'delivered' : 'dead', reason: data.reason }} />
        ) : null}
      </div>
      {error === null || isPending ? null : <ProblemBox error={error} />}
    </div>
  );
}

export function TestResult({
  result: { state, reason = null },
}: {
  result: { state: string; reason?: string | null };
}) {
  if (state === 'delivered') return <Status tone="good">{texts.testArrived}</Status>;
  return <Status tone="bad">{texts.testFailed({ reason: reason ?? texts.noReason })}</Status>;
}
