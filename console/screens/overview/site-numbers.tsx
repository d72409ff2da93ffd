/** A site in four numbers, each of which leads to what is behind it. */
import texts from 'messages:overview';
import type { SiteOverview } from '../../../shared/api/overview.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { measuredText, numberText } from '../../text/format.ts';
import { Tile, Tiles } from '../../ui/tile.tsx';
import { Time } from '../../ui/time.tsx';
import { mbpsText } from './mbps-text.ts';
import { useYesterday } from './yesterday.ts';

/** The most that a page of events has by default suffices for a number. */
const MOST_NEW = 100;

export function SiteNumbers({ site }: { site: SiteOverview }) {
  const { id, devices, internet } = site;
  const since = useYesterday();
  const { data: found } = useAnswer(
    'GET /events',
    { site: id, query: { type: 'new', since, limit: MOST_NEW } },
    { everyMs: POLL_MS.calm },
  );
  const newCount = found?.events.length ?? 0;
  const list = (status: string) => `/sites/${id}/devices?status=${status}`;
  const { speed } = internet;
  return (
    <section aria-label={texts.numbers}>
      <Tiles>
        <Tile
          label={texts.online}
          value={
            devices === null ? (
              '–'
            ) : (
              <>
                {numberText(devices.online)}
                <small>{texts.of({ all: devices.my })}</small>
              </>
            )
          }
          about={aboutOnline(site)}
          to={list('my')}
        />
        <Tile
          label={texts.new}
          value={devices === null ? '–' : numberText(devices.new)}
          about={
            found === undefined
              ? ' '
              : newCount === 0
                ? texts.noneSince
                : texts.newSince({ count: newCount, isMore: found.nextCursor !== null })
          }
          tone={(devices?.new ?? 0) > 0 ? 'new' : undefined}
          to={list('new')}
        />
        <Tile
          label={texts.down}
          value={devices === null ? '–' : numberText(devices.down)}
          about={devices?.down === 0 ? texts.noAlert : undefined}
          tone={(devices?.down ?? 0) > 0 ? 'bad' : undefined}
          to={list('down')}
        />
        {speed === null ? (
          <Tile label={texts.internet} value="–" about={texts.notMeasured} to={`/sites/${id}/internet`} />
        ) : (
          <Tile
            label={`${texts.internet}, ${texts.perSecond}`}
            value={texts.speed({ down: mbpsText(speed.downMbps), up: mbpsText(speed.upMbps) })}
            about={
              <>
                {texts.ping({ ms: measuredText(speed.pingMs) })} · <Time at={speed.at} />
              </>
            }
            tone={internet.lostSince !== null ? 'bad' : speed.slowSince === null ? undefined : 'warn'}
            to={`/sites/${id}/internet`}
          />
        )}
      </Tiles>
    </section>
  );
}

function aboutOnline(site: SiteOverview): string | undefined {
  const { devices, unknown } = site;
  if (devices === null) return texts.counting;
  return unknown === null || unknown === 0 ? undefined : texts.unknown({ count: unknown });
}
