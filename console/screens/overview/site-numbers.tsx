/** Four numbers of a site, each with a link. */
import texts from 'messages:overview';
import type { SiteOverview } from '../../../shared/api/overview.ts';
import { measuredText, numberText } from '../../text/format.ts';
import { Tile, Tiles } from '../../ui/tile.tsx';
import { Time } from '../../ui/time.tsx';
import { DeviceTile } from '../sites/first-devices.tsx';
import { mbpsText } from './mbps-text.ts';

export function SiteNumbers({ site }: { site: SiteOverview }) {
  const { id, devices, unknown, internet } = site;
  const list = (status: string) => `/sites/${id}/devices?status=${status}`;
  const { speed } = internet;
  return (
    <section aria-label={texts.numbers}>
      <Tiles>
        <Tile
          isSmall
          label={texts.online}
          value={[
            devices === null ? '–' : numberText(devices.online),
            devices && <small key="all">{texts.of({ all: devices.my })}</small>,
          ]}
          about={devices === null ? texts.counting : unknown ? texts.unknown({ count: unknown }) : undefined}
          to={list('my')}
        />
        <DeviceTile isSmall sites={[site]} status="down" to={list('down')} />
        <DeviceTile isSmall sites={[site]} status="new" to={list('new')} />
        {speed === null ? (
          <Tile isSmall label={texts.internet} value="–" about={texts.notMeasured} to={`/sites/${id}/internet`} />
        ) : (
          <Tile
            isSmall
            label={`${texts.internet}, ${texts.perSecond}`}
            value={texts.speed({ down: mbpsText(speed.downMbps), up: mbpsText(speed.upMbps) })}
            about={
              <>
                {texts.ping({ ms: measuredText(speed.pingMs) })}, <Time at={speed.at} />
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
