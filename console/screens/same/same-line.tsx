/** Beside the list of devices: how many seem to be duplicates, if any. */
import texts from 'messages:same';
import { Link } from 'wouter';
import { POLL_MS, useAnswer } from '../../api/queries.ts';

export function SameLine({ site }: { site: string }) {
  const { data } = useAnswer('GET /devices/same', { site }, { everyMs: POLL_MS.calm });
  const count = (data?.same ?? []).reduce((sum, { others }) => sum + others.length, 0);
  if (count === 0) return null;
  return (
    <p className="px-2.5 text-muted">
      {texts.line({ count })} <Link href={`/sites/${site}/same`}>{texts.look}</Link>
    </p>
  );
}
