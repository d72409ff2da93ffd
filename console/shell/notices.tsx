/** What a person has to know of the connection and the session, above every screen. */
import { useConnection } from '../api/connection.ts';
import { useRights } from '../api/rights.ts';
import { common } from '../text/texts.ts';
import { useNow } from '../ui/time.tsx';
import { texts } from './texts.ts';
import { minutesToWarnOf } from './token-end.ts';

/** Is always in the page, so that a screen reader notices when something is said in it. */
export function Notices() {
  const { isReachable, pausedUntil } = useConnection();
  return (
    <div role="status">
      {isReachable ? null : <p className="note">{navigator.onLine ? common.unreachable : texts.deviceOffline}</p>}
      {isReachable && pausedUntil > 0 ? <p className="note">{common.paused}</p> : null}
      <TokenEnd />
    </div>
  );
}

function TokenEnd() {
  const { createdAt, expiresAt } = useRights();
  const minutes = minutesToWarnOf(createdAt, expiresAt, useNow());
  return minutes === null ? null : <p className="note">{texts.tokenEnds(minutes)}</p>;
}
