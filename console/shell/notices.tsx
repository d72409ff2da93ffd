/** Notices about the connection and the session, above every screen. */
import common from 'messages:common';
import texts from 'messages:shell';
import { useConnection } from '../api/connection.ts';
import { useRights } from '../api/rights.ts';
import { useSession } from '../api/session.ts';
import { beginSignIn, signInState } from '../api/sign-in.ts';
import { failureText } from '../screens/sign-in/failure-text.ts';
import { Button } from '../ui/button.tsx';
import { useNow } from '../ui/time.tsx';
import { minutesToWarnOf } from './token-end.ts';

/** Always in the page, so that a screen reader notices its changes. */
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

/** The token, or the session, which one click renews at the same place. */
function TokenEnd() {
  const { createdAt, expiresAt, isSession } = useRights();
  const { session } = useSession();
  const { failure } = signInState.use();
  const minutes = minutesToWarnOf({ createdAt, expiresAt, isSession }, useNow());
  if (!isSession) return minutes === null ? null : <p className="note">{texts.tokenEnds(leftOf(minutes))}</p>;
  return (
    <>
      {failure === null ? null : (
        <p className="note" role="alert">
          {failureText(failure)}
        </p>
      )}
      {minutes === null ? null : (
        <div className="note">
          <span>{texts.sessionEnds({ minutes })}</span>
          <Button onClick={() => void beginSignIn(session?.isKept ?? false)}>{texts.signInAgain}</Button>
        </div>
      )}
    </>
  );
}

function leftOf(minutes: number) {
  return minutes < 120 ? { unit: 'minutes', count: minutes } : { unit: 'hours', count: Math.floor(minutes / 60) };
}
