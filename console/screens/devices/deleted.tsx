/** The devices that were deleted in the last 30 days, with a way back. */
import common from 'messages:common';
import texts from 'messages:devices';
import { useQuery } from '@tanstack/react-query';
import { Trash2, Undo2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import type { DeviceEvent } from '../../../shared/api/events.ts';
import { RESTORABLE_DAYS } from '../../../shared/words.ts';
import { ask } from '../../api/client.ts';
import { usePages } from '../../api/pages.ts';
import { POLL_MS } from '../../api/queries.ts';
import { Actor, useActors } from '../../ui/actor.tsx';
import { Button } from '../../ui/button.tsx';
import { List } from '../../ui/list.tsx';
import { Time } from '../../ui/time.tsx';
import { deviceLabel } from '../events/sentence.ts';
import { deletionsOf } from './deletions.ts';
import { pathOf } from './device.ts';
import { useScreen } from './screen.ts';

/** Read at once; each covers 2,000 changes of the site. */
const MAX_PAGES = 10;

export default function DeletedDevices() {
  const { site, canWrite } = useScreen();
  const [since] = useState(() => new Date(Date.now() - RESTORABLE_DAYS * 86_400_000).toISOString());
  const query = { type: 'deleted,restored,imported', since, limit: 1_000 };
  const list = usePages('GET /events', { site, query }, { everyMs: POLL_MS.calm });
  const actors = useActors(site);
  const { data, hasNextPage, isFetching, fetchNextPage } = list;
  const mustReadOn = hasNextPage && !isFetching && !list.isError && (data?.pages.length ?? 0) < MAX_PAGES;
  useEffect(() => {
    if (mustReadOn) void fetchNextPage();
  }, [mustReadOn, fetchNextPage]);
  return (
    <div className="overflow-auto">
      <List
        of={list}
        pages={data && [deletionsOf(data.pages.flatMap(({ events }) => events))]}
        rows={(events) => events}
        keyOf={({ id }) => id}
        label={texts.deletedTitle}
        columns={[
          { heading: texts.columns.name, cell: (event) => <Name site={site} event={event} /> },
          { heading: texts.columns.mac, cell: ({ device }) => <code>{device?.mac}</code> },
          { heading: texts.deletedAt, cell: ({ at }) => <Time at={at} /> },
          { heading: texts.deletedBy, cell: ({ actor }) => <Actor id={actor} known={actors} /> },
          ...(canWrite
            ? [{ heading: texts.actionsColumn, cell: (event: DeviceEvent) => <Restore site={site} event={event} /> }]
            : []),
        ]}
        empty={{ title: texts.noneDeleted, hint: texts.noneDeletedHint, icon: Trash2 }}
      />
    </div>
  );
}

interface Props {
  site: string;
  event: DeviceEvent;
}

function Name({ site, event: { device, deleted = 0, count = deleted, type } }: Props) {
  if (device === null) return <strong>{common.devices({ count: type === 'deleted' ? count : deleted })}</strong>;
  return (
    <Link href={pathOf(site, device)} data-foreign>
      {deviceLabel(device)}
    </Link>
  );
}

function Restore({ site, event: { id, device } }: Props) {
  const { actions } = useScreen();
  // The id of an event is the version of its change, a dot, and its place in it.
  const [change = ''] = id.split('.');
  const macs = device === null ? undefined : [device.key];
  const { data: left } = useQuery({
    queryKey: ['devices to restore', site, change],
    queryFn: ({ signal }) =>
      ask('POST /devices/restore', { site, query: { dryRun: 'true' }, body: { change }, signal }),
    enabled: device === null,
  });
  if (left?.restored === 0) return <span className="text-muted">{texts.isRestored}</span>;
  return (
    <Button disabled={actions.isBusy} onClick={() => void actions.restore([change], macs)} icon={<Undo2 />}>
      {left === undefined ? texts.restore : texts.restoreMany(left)}
    </Button>
  );
}
