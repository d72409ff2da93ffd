/** The batches, the newest first. */
import texts from 'messages:batches';
import { Layers } from 'lucide-react';
import { Link } from 'wouter';
import type { Batch } from '../../../shared/api/batches.ts';
import { useKnownSites } from '../../api/known-sites.ts';
import { usePages } from '../../api/pages.ts';
import { POLL_MS } from '../../api/queries.ts';
import { titleOfJob } from '../../commands/job-texts.ts';
import { selectionText } from '../../text/site-texts.ts';
import { Actor, useActors } from '../../ui/actor.tsx';
import { Allowed } from '../../ui/allowed.tsx';
import { LinkButton } from '../../ui/button.tsx';
import { List } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { BatchState } from './batch-state.tsx';

export default function Batches() {
  const start = (
    <LinkButton to="/batches/new" look="primary">
      {texts.new}
    </LinkButton>
  );
  return (
    <Allowed scope="nettools:run" title={texts.title} needs={texts.needs}>
      <Page title={texts.title} actions={start}>
        <BatchList />
      </Page>
    </Allowed>
  );
}

function BatchList() {
  const list = usePages('GET /batches', { query: { limit: 50 } }, { everyMs: POLL_MS.usual });
  const actors = useActors(null);
  const { nameOf } = useKnownSites();
  const columns: Column<Batch>[] = [
    {
      heading: texts.command,
      cell: (batch) => (
        <Link href={`/batches/${batch.id}`} className="font-[550]" data-foreign>
          {titleOfJob(batch)}
        </Link>
      ),
    },
    {
      heading: texts.where,
      cell: ({ sites, total }) => (
        <span data-foreign>
          {selectionText(sites, nameOf)} <span className="text-muted">({texts.count({ sites: total })})</span>
        </span>
      ),
    },
    { heading: texts.state, cell: (batch) => <BatchState batch={batch} /> },
    { heading: texts.when, cell: ({ createdAt }) => <Time at={createdAt} /> },
    { heading: texts.who, cell: ({ actor }) => <Actor id={actor} known={actors} /> },
  ];
  return (
    <List
      of={list}
      pages={list.data?.pages}
      rows={({ batches }) => batches}
      keyOf={({ id }) => id}
      label={texts.list}
      columns={columns}
      empty={{ title: texts.none, hint: texts.noneWhy, icon: Layers }}
      unreadable={texts.unreadable}
    />
  );
}
