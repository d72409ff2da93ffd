/** Says that no agent watches the site, so that the status of its devices is old. */
import texts from 'messages:shell';
import { Link, useLocation } from 'wouter';
import { useAnswer } from '../api/queries.ts';
import { useRights } from '../api/rights.ts';
import { Moment } from '../ui/time.tsx';

export function StaleNotice({ site }: { site: string }) {
  const [location] = useLocation();
  const rights = useRights();
  const { data } = useAnswer('GET /sites/{site}', { params: { site } }, { when: rights.may('devices:read') });
  const since = data?.staleSince ?? null;
  // Where an agent is being added, it says nothing new.
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
