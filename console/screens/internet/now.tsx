/** The internet of a site as it is now, and as it was measured last. */
import type { Check } from '../../../shared/api/checks.ts';
import type { OneSeries } from '../../../shared/api/series.ts';
import { CHECK_TONES } from '../../checks/check-state.tsx';
import { checkTexts } from '../../checks/check-texts.ts';
import { measuredText } from '../../text/format.ts';
import { Facts } from '../../ui/facts.tsx';
import { Figures } from '../../ui/figures.tsx';
import { Status } from '../../ui/status.tsx';
import { Moment, Time } from '../../ui/time.tsx';
import { lastAddress, type SpeedTest } from './speeds.ts';
import { texts } from './texts.ts';

interface Props {
  check: Check | null;
  nextTestAt: string | null;
  last: SpeedTest | null;
  addresses: readonly OneSeries[];
}

export function Now({ check, nextTestAt, last, addresses }: Props) {
  const address = lastAddress(addresses);
  return (
    <>
      <Facts
        isInLine
        facts={[
          [texts.state, <State key="state" check={check} />],
          [texts.address, address === null ? <Unknown key="address" /> : <code key="address">{address.address}</code>],
          [
            texts.provider,
            address === null || address.provider === '' ? (
              <Unknown key="provider" />
            ) : (
              <span key="provider" data-foreign>
                {address.provider}
              </span>
            ),
          ],
          [texts.nextTest, nextTestAt === null ? '' : <Time key="next" at={nextTestAt} />],
        ]}
      />
      <Speed last={last} />
    </>
  );
}

function Unknown() {
  return <span className="muted">{texts.unknown}</span>;
}

function State({ check }: { check: Check | null }) {
  if (check === null) return <span className="muted">{texts.notMeasured}</span>;
  const { state, since, reason } = check;
  return (
    <>
      <Status tone={CHECK_TONES[state]}>
        <span>
          {texts.states[state]}
          {since === null || state === 'unknown' ? null : (
            <>
              {' '}
              {texts.since} <Moment at={since} />
            </>
          )}
        </span>
      </Status>
      {reason === null ? null : (
        <div className="muted" data-foreign>
          {reason}
        </div>
      )}
    </>
  );
}

function Speed({ last }: { last: SpeedTest | null }) {
  if (last === null) {
    return (
      <p>
        {texts.speed}: <span className="muted">{texts.noSpeed}</span>
      </p>
    );
  }
  const mbps = (value: number | null) => (value === null ? checkTexts.nothing : texts.mbps(measuredText(value)));
  const figures = [
    [texts.down, mbps(last.downMbps)],
    [texts.up, mbps(last.upMbps)],
    [texts.ping, last.pingMs === null ? checkTexts.nothing : checkTexts.ms(last.pingMs)],
  ] as const;
  return (
    <div>
      <p className="muted">
        {texts.speed}, <Time at={new Date(last.at).toISOString()} />
      </p>
      <Figures figures={figures} />
    </div>
  );
}
