/** Notices about the connection and the session, above every screen. */
import common from 'messages:common';
import texts from 'messages:shell';
import { Link, useLocation } from 'wouter';
import { useConnection } from '../api/connection.ts';
import { POLL_MS, useAnswer, useChange } from '../api/queries.ts';
import { useRights } from '../api/rights.ts';
import { useSession } from '../api/session.ts';
import { beginSignIn, signInState } from '../api/sign-in.ts';
import { failureText } from '../screens/sign-in/failure-text.ts';
import { Button } from '../ui/button.tsx';
import { Moment, useNow } from '../ui/time.tsx';
import { showProblem } from '../ui/toast.tsx';
import { strangeNetworksOf, withGateway } from './strange-networks.ts';
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

/** That no agent monitors the site, so that statuses are stale, and networks for a person to confirm. */
export function SiteNotices({ site }: { site: string }) {
  const rights = useRights();
  const params = { site };
  const { data } = useAnswer('GET /sites/{site}', { params }, { when: rights.may('devices:read') });
  const agents = useAnswer(
    'GET /sites/{site}/agents',
    { params },
    { everyMs: POLL_MS.calm, when: rights.may('nettools:run') },
  );
  const change = useChange('PATCH /sites/{site}');
  const confirmed = data?.discovery.gateways ?? [];
  const confirm = (gateway: string) => {
    const gateways = withGateway(confirmed, gateway);
    change.mutate({ params, body: { discovery: { gateways } } }, { onError: showProblem });
  };
  return (
    <>
      <StaleNotice site={site} since={data?.staleSince ?? null} />
      {strangeNetworksOf(agents.data?.agents ?? []).map(({ key, text, gateway }) => {
        const isConfirmed = gateway !== null && confirmed.includes(gateway);
        return (
          <div key={key} className="note" role="status">
            <span>{isConfirmed ? texts.strangeConfirmed({ text }) : text}</span>
            {gateway === null || isConfirmed || data === undefined || !rights.may('admin') ? null : (
              <Button disabled={change.isPending} onClick={() => confirm(gateway)}>
                {texts.strangeConfirm}
              </Button>
            )}
          </div>
        );
      })}
    </>
  );
}

function StaleNotice({ site, since }: { site: string; since: string | null }) {
  const [location] = useLocation();
  const rights = useRights();
  // While a person adds an agent, it says nothing new.
  const isEnrolling = /^\/sites\/[^/]+\/(?:agents|enrol)\//.test(location);
  if (since === null || isEnrolling) return null;
  const [before, after] = texts.staleNotice({ time: '\0' }).split('\0');
  return (
    <div className="note" role="status">
      <span>
        {before}
        <Moment at={since} />
        {after}
      </span>
      {rights.may('admin') ? <Link href={`/sites/${site}/settings`}>{texts.staleAgents}</Link> : null}
    </div>
  );
}
