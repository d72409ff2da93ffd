/** All sites in a few numbers, each with a link. */
import texts from 'messages:sites';
import type { SiteOverview } from '../../../shared/api/overview.ts';
import { numberText } from '../../text/format.ts';
import { Tile, Tiles } from '../../ui/tile.tsx';
import { belongsTo, isInternetMeasured, isWatched, type Only, sumOf } from './attention.ts';
import { DeviceTile } from './first-devices.tsx';
import { placeOfAgent } from './trouble-list.tsx';

/** The page of a site behind each number. */
const PLACES: Record<Only, (site: SiteOverview) => string> = {
  trouble: () => '',
  down: () => '/devices?status=down',
  new: () => '/devices?status=new',
  agents: placeOfAgent,
  internet: () => '/internet',
};

export function SiteTiles({ sites }: { sites: readonly SiteOverview[] }) {
  const sum = sumOf(sites);
  const those = (only: Only) => sites.filter((site) => belongsTo(site, only));
  /** For one site its page; for several the filtered list. */
  const to = (only: Only) => {
    const [first, second] = those(only);
    if (first === undefined) return undefined;
    return second === undefined ? `/sites/${first.id}${PLACES[only](first)}` : `/?only=${only}`;
  };
  const { tiles } = texts;
  const [trouble, internet] = [those('trouble').length, those('internet').length];
  const dark = sites.filter((site) => !isWatched(site)).length;
  return (
    <section aria-label={tiles.label}>
      <Tiles>
        <Tile
          label={tiles.sites}
          value={numberText(sites.length)}
          about={
            trouble > 0
              ? texts.withTrouble({ count: trouble })
              : dark > 0
                ? texts.notMonitored({ count: dark })
                : texts.allWell
          }
          to={to('trouble')}
        />
        <Tile
          label={tiles.online}
          value={numberText(sum.online)}
          about={sum.unknown > 0 ? texts.notMonitored({ count: sum.unknown }) : texts.ofDevices({ count: sum.devices })}
        />
        <DeviceTile sites={sites} status="down" to={to('down')} />
        <DeviceTile sites={sites} status="new" to={to('new')} />
        <Tile
          label={tiles.agents}
          value={numberText(sum.agentsAway)}
          tone={sum.agentsAway > 0 ? 'warn' : undefined}
          to={to('agents')}
        />
        {sites.some(isInternetMeasured) ? (
          <Tile
            label={tiles.internet}
            value={numberText(internet)}
            tone={internet > 0 ? 'bad' : undefined}
            to={to('internet')}
          />
        ) : null}
      </Tiles>
    </section>
  );
}
