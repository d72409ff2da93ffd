/** The current state of the internet, and its last measurements. */
import texts from 'messages:internet';
import type { Check } from '../../../shared/api/checks.ts';
import type { OneSeries } from '../../../shared/api/series.ts';
import { measuredText } from '../../text/format.ts';
import { reasonText } from '../../text/said-texts.ts';
import { Tile, Tiles } from '../../ui/tile.tsx';
import { Moment, Time } from '../../ui/time.tsx';
import { mbpsText } from '../overview/mbps-text.ts';
import { isSlow, lastAddress, type SpeedTest, usual } from './speeds.ts';

interface Props {
  check: Check | null;
  tests: readonly SpeedTest[];
  addresses: readonly OneSeries[];
  nextAt: string | null;
}

export function Now({ check, tests, addresses, nextAt }: Props) {
  const last = tests.at(-1) ?? null;
  const usualDown = usual(tests.map(({ downMbps }) => downMbps));
  const usualUp = usual(tests.map(({ upMbps }) => upMbps));
  const address = lastAddress(addresses);
  const isSlower = last !== null && isSlow(last, usualDown);
  return (
    <>
      <section aria-label={texts.now}>
        <Tiles>
          <State check={check} />
          <Speed label={texts.down} value={last?.downMbps ?? null} usually={usualDown} isSlow={isSlower} />
          <Speed label={texts.up} value={last?.upMbps ?? null} usually={usualUp} />
          <Tile
            label={`${texts.ping}, ms`}
            value={last?.pingMs == null ? texts.nothing : measuredText(last.pingMs)}
            about={last === null ? undefined : <Time at={new Date(last.at).toISOString()} />}
          />
        </Tiles>
      </section>
      <p className="flex flex-wrap gap-y-0.5 gap-x-6 text-muted text-sm empty:hidden [&_code]:text-text">
        {address === null ? null : (
          <span>
            {texts.address} <code>{address.address}</code>
          </span>
        )}
        {address === null || address.provider === '' ? null : <span data-foreign>{address.provider}</span>}
        {nextAt === null ? null : (
          <span>
            {texts.nextTest} <Time at={nextAt} />
          </span>
        )}
      </p>
    </>
  );
}

function State({ check }: { check: Check | null }) {
  if (check === null) return <Tile label={texts.state} value={texts.nothing} about={texts.notMeasured} />;
  const { state, since, reason, reasonCode } = check;
  return (
    <Tile
      label={texts.state}
      value={texts.states[state]}
      tone={state === 'down' ? 'bad' : undefined}
      about={
        reason !== null ? (
          <span data-foreign>{reasonText(reason, reasonCode)}</span>
        ) : since === null || state === 'unknown' ? undefined : (
          <>
            {texts.since} <Moment at={since} />
          </>
        )
      }
    />
  );
}

interface SpeedProps {
  label: string;
  value: number | null;
  usually: number | null;
  isSlow?: boolean;
}

function Speed({ label, value, usually, isSlow: isSlower = false }: SpeedProps) {
  return (
    <Tile
      label={`${label}, ${texts.unit}`}
      value={value === null ? texts.nothing : mbpsText(value)}
      tone={isSlower ? 'warn' : undefined}
      about={
        value === null || usually === null
          ? texts.noSpeed
          : isSlower
            ? texts.slower({ mbps: mbpsText(usually) })
            : texts.usual({ mbps: mbpsText(usually) })
      }
    />
  );
}
