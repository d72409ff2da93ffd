/** The first devices that are down or new, with their names, of the first sites that have any. */
import texts from 'messages:sites';
import { type QueryFunctionContext, useQueries } from '@tanstack/react-query';
import type { SiteOverview } from '../../../shared/api/overview.ts';
import { type AnswerOf, ask } from '../../api/client.ts';
import { keyOf, POLL_MS, pollAfterMs } from '../../api/queries.ts';
import { numberText } from '../../text/format.ts';
import { Tile } from '../../ui/tile.tsx';
import { titleOf } from '../devices/device.ts';

const SITES = 3;
const DEVICES = 6;
const NAMES = 2;
const ROUTE = 'GET /devices';
const SORTS = { down: '-lastConnection', new: '-firstConnection' } as const;

export function useFirstDevices(sites: readonly Pick<SiteOverview, 'id' | 'devices'>[], status: 'down' | 'new') {
  const wanted = sites.filter(({ devices }) => devices === null || devices[status] > 0).slice(0, SITES);
  const answers = useQueries({
    queries: wanted.map(({ id: site }) => {
      const question = { site, query: { status, fields: 'all', sort: SORTS[status], limit: DEVICES } } as const;
      const queryKey = keyOf(ROUTE, question);
      return {
        queryKey,
        queryFn: ({ client, signal }: QueryFunctionContext) =>
          ask(ROUTE, { ...question, known: client.getQueryData<AnswerOf<typeof ROUTE>>(queryKey), signal }),
        refetchInterval: () => pollAfterMs(POLL_MS.usual),
      };
    }),
  });
  return answers.flatMap(({ data }) => (data?.devices ?? []).flatMap((device) => ('devMac' in device ? [device] : [])));
}

interface TileProps {
  sites: readonly SiteOverview[];
  status: 'down' | 'new';
  to: string | undefined;
  isSmall?: boolean;
}

/** How many devices are down or new, and the names of the first ones. */
export function DeviceTile({ sites, status, to, isSmall = false }: TileProps) {
  const first = useFirstDevices(sites, status).slice(0, NAMES);
  const counted = sites.flatMap(({ devices }) => (devices === null ? [] : [devices[status]]));
  const count = counted.reduce((sum, one) => sum + one, 0);
  const names = first.map((device) => (
    <span key={device.key} className="block truncate" title={titleOf(device)} data-foreign>
      {titleOf(device)}
    </span>
  ));
  return (
    <Tile
      label={texts.tiles[status]}
      value={counted.length === 0 ? '–' : numberText(count)}
      about={names}
      tone={count === 0 ? undefined : status === 'down' ? 'bad' : 'new'}
      {...{ to, isSmall }}
    />
  );
}
