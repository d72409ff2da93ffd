/** One check: its state, and its measurements over time. */
import texts from 'messages:checks';
import { Link, useLocation } from 'wouter';
import type { Check } from '../../../shared/api/checks.ts';
import { problemOf } from '../../api/problem.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { CheckChart } from '../../checks/check-chart.tsx';
import { bestOf, CheckState, targetOf } from '../../checks/check-state.tsx';
import { checkTexts } from '../../checks/check-texts.ts';
import { HopList } from '../../checks/hop-list.tsx';
import { everyText } from '../../text/format.ts';
import { reasonText } from '../../text/said-texts.ts';
import { LinkButton } from '../../ui/button.tsx';
import { useCursor } from '../../ui/chart/cursor.ts';
import { SpanChoice, useChartChoice } from '../../ui/chart/span-choice.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { Tile, Tiles } from '../../ui/tile.tsx';
import { Moment, Time } from '../../ui/time.tsx';
import { CheckActions } from './check-actions.tsx';

const STATE_NOW = 'text-lg font-medium tracking-[0]';

export default function OneCheck({ site, id }: { site: string; id: string }) {
  const answer = useAnswer('GET /checks/{check}', { site, params: { check: id } });
  const isGone = answer.error !== null && problemOf(answer.error).code === 'not_found';
  if (answer.data !== undefined && !isGone) return <Known site={site} check={answer.data} />;
  return (
    <Page title={texts.one}>
      {isGone ? (
        <Empty title={texts.gone}>
          <p>{texts.goneHint}</p>
          <LinkButton look="primary" to={`/sites/${site}/checks`}>
            {texts.toList}
          </LinkButton>
        </Empty>
      ) : (
        <Answered of={answer}>{() => null}</Answered>
      )}
    </Page>
  );
}

function Known({ site, check }: { site: string; check: Check }) {
  const mayRun = useRights().may('nettools:run');
  const [, navigate] = useLocation();
  const choice = useChartChoice('24h');
  const cursor = useCursor();
  const { data } = useAnswer('GET /checks', { site });
  const others = (data?.checks ?? []).filter(({ id, kind }) => id !== check.id && kind === check.kind);
  const list = `/sites/${site}/checks`;
  return (
    <Page
      title={check.label}
      actions={
        <>
          <LinkButton to={list}>{texts.toList}</LinkButton>
          {mayRun ? <CheckActions site={site} check={check} onRemoved={() => navigate(list)} /> : null}
        </>
      }
    >
      <Numbers check={check} />
      <section className="card grid gap-4 min-w-0 p-4" aria-label={texts.overTime}>
        <h2 className="visually-hidden">{texts.overTime}</h2>
        <SpanChoice choice={choice} />
        <CheckChart {...{ site, check, choice, cursor, others }} isNamed={false} />
      </section>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,380px),1fr))] gap-4 items-start">
        <Card title={texts.about}>
          <Facts
            facts={[
              [texts.kind, checkTexts.kinds[check.kind]],
              [texts.what, <Target key="what" site={site} check={check} />],
              [texts.port, check.port === undefined ? '' : String(check.port)],
              [texts.every, everyText(check.everySeconds)],
            ]}
          />
        </Card>
        <Card title={texts.measuredBy}>
          <Measured check={check} />
        </Card>
      </div>
      {check.path === null ? null : (
        <Card title={texts.path}>
          <HopList hops={check.path} />
        </Card>
      )}
    </Page>
  );
}

/** The present figures; coloured only if down. */
function Numbers({ check }: { check: Check }) {
  const { state, enabled, since, reason, reasonCode, certificateEndsAt } = check;
  const { rttMs, lossPercent } = bestOf(check);
  const isDown = enabled && state === 'down';
  return (
    <Tiles>
      <Tile
        label={texts.state}
        value={
          <span className={STATE_NOW}>
            <CheckState check={check} />
          </span>
        }
        about={
          since === null || !enabled ? undefined : (
            <>
              {texts.since} <Moment at={since} />
              {reason === null ? null : ` · ${reasonText(reason, reasonCode)}`}
            </>
          )
        }
        tone={isDown ? 'bad' : undefined}
      />
      <Tile label={texts.latency} value={rttMs === null ? checkTexts.nothing : checkTexts.ms(rttMs)} />
      <Tile label={texts.loss} value={lossPercent === null ? checkTexts.nothing : checkTexts.percent(lossPercent)} />
      {certificateEndsAt === null ? null : (
        <Tile
          label={texts.certificate}
          value={
            <span className={STATE_NOW}>
              <Time at={certificateEndsAt} />
            </span>
          }
        />
      )}
    </Tiles>
  );
}

function Target({ site, check }: { site: string; check: Check }) {
  const { device: key = '' } = check;
  const request = { site, params: { mac: key } };
  const { data } = useAnswer('GET /devices/{mac}', request, { everyMs: POLL_MS.calm, when: key !== '' });
  if (key === '') return <span data-foreign>{targetOf(check)}</span>;
  const name = data?.devName ?? '';
  return (
    <Link href={`/sites/${site}/devices/${encodeURIComponent(key)}`} title={key} data-foreign>
      {name === '' ? key : name}
    </Link>
  );
}

function Measured({ check: { label, measured } }: { check: Check }) {
  if (measured.length === 0) return <p className="text-muted">{texts.noneMeasured}</p>;
  const ms = (value: number | null) => (value === null ? checkTexts.nothing : checkTexts.ms(value));
  return (
    <Table
      label={`${texts.measuredBy}: ${label}`}
      rows={measured}
      keyOf={({ agent }) => agent}
      columns={[
        { heading: texts.agent, cell: ({ agent }) => agent },
        { heading: texts.when, cell: ({ at }) => <Time at={at} /> },
        { heading: texts.latency, cell: ({ rttMs }) => ms(rttMs) },
        { heading: texts.jitter, cell: ({ jitterMs }) => ms(jitterMs) },
        { heading: texts.loss, cell: ({ lossPercent }) => checkTexts.percent(lossPercent) },
      ]}
    />
  );
}
