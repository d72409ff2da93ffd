/** Four numbers of a site, each with a link. */
import texts from 'messages:overview';
import type { SiteOverview } from '../../../shared/api/overview.ts';
import { measuredText, numberText } from '../../text/format.ts';
import { Tile, Tiles } from '../../ui/tile.tsx';
import { Time } from '../../ui/time.tsx';
import { DeviceNames, useFirstDevices } from '../sites/first-devices.tsx';
import { mbpsText } from './mbps-text.ts';

export function SiteNumbers({ site }: { site: SiteOverview }) {
  const { id, devices, unknown, internet } = site;
  const [down, found] = [useFirstDevices([site], 'down'), useFirstDevices([site], 'new')];
  const list = (status: string) => `/sites/${id}/devices?status=${status}`;
  const count = (number: number | undefined) => (number === undefined ? '–' : numberText(number));
  const { speed } = internet;
  return (
    <section aria-label={texts.numbers}>
      <Tiles>
        <Tile
          isSmall
          label={texts.online}
          value={[count(devices?.online), devices && <small key="all">{texts.of({ all: devices.my })}</small>]}
          about={devices === null ? texts.counting : unknown ? texts.unknown({ count: unknown }) : undefined}
          to={list('my')}
        />
        <Tile
          isSmall
          label={texts.down}
          value={count(devices?.down)}
          about={<DeviceNames devices={down} />}
          tone={(devices?.down ?? 0) > 0 ? 'bad' : undefined}
          to={list('down')}
        />
        <Tile
          isSmall
          label={texts.new}
          value={count(devices?.new)}
          about={<DeviceNames devices={found} />}
          tone={(devices?.new ?? 0) > 0 ? 'new' : undefined}
          to={list('new')}
        />
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
