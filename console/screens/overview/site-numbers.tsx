/** Four numbers of a site, each with a link. */
import texts from 'messages:overview';
import type { SiteOverview } from '../../../shared/api/overview.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { measuredText, numberText } from '../../text/format.ts';
import { Tile, Tiles } from '../../ui/tile.tsx';
import { Time } from '../../ui/time.tsx';
import { mbpsText } from './mbps-text.ts';

const MOST_NEW = 100;

/** @param since ISO 8601: devices found later count as newly found */
export function SiteNumbers({ site, since }: { site: SiteOverview; since: string }) {
  const { id, devices, unknown, internet } = site;
  const { data: found } = useAnswer(
    'GET /events',
    { site: id, query: { type: 'new', since, limit: MOST_NEW } },
    { everyMs: POLL_MS.calm },
  );
  const newCount = found?.events.length ?? 0;
  const list = (status: string) => `/sites/${id}/devices?status=${status}`;
  const count = (number: number | undefined) => (number === undefined ? '–' : numberText(number));
  const { speed } = internet;
  return (
    <section aria-label={texts.numbers}>
      <Tiles>
        <Tile
          label={texts.online}
          value={[count(devices?.online), devices && <small key="all">{texts.of({ all: devices.my })}</small>]}
          about={devices === null ? texts.counting : unknown ? texts.unknown({ count: unknown }) : undefined}
          to={list('my')}
        />
        <Tile
          label={texts.new}
          value={count(devices?.new)}
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
          value={count(devices?.down)}
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
