/** One check: how it stands, and what it has measured over time. */
import { Link, useLocation } from 'wouter';
import type { Check } from '../../../shared/api/checks.ts';
import { problemOf } from '../../api/problem.ts';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { CheckChart } from '../../checks/check-chart.tsx';
import { CheckState, targetOf } from '../../checks/check-state.tsx';
import { checkTexts } from '../../checks/check-texts.ts';
import { HopList } from '../../checks/hop-list.tsx';
import { everyText } from '../../text/format.ts';
import { LinkButton } from '../../ui/button.tsx';
import { useCursor } from '../../ui/chart/cursor.ts';
import { SpanChoice, useChartChoice } from '../../ui/chart/span-choice.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { CheckActions } from './check-actions.tsx';
import { texts } from './texts.ts';

export default function OneCheck({ site, id }: { site: string; id: string }) {
  const answer = useAnswer('GET /checks/{check}', { site, params: { check: id } });
  const toList = <LinkButton to={`/sites/${site}/checks`}>{texts.toList}</LinkButton>;
  if (answer.error !== null && problemOf(answer.error).code === 'not_found') {
    return (
      <Page title={texts.one}>
        <Empty title={texts.gone}>{toList}</Empty>
      </Page>
    );
  }
  if (answer.data !== undefined) return <Known site={site} check={answer.data} />;
  return (
    <Page title={texts.one} actions={toList}>
      <Answered of={answer}>{() => null}</Answered>
    </Page>
  );
}

function Known({ site, check }: { site: string; check: Check }) {
  const mayRun = useRights().may('nettools:run');
  const [, navigate] = useLocation();
  const choice = useChartChoice('24h');
  const cursor = useCursor();
  const list = `/sites/${site}/checks`;
  return (
    <Page
      title={check.label}
      actions={
        <>
          {mayRun ? <CheckActions site={site} check={check} onRemoved={() => navigate(list)} /> : null}
          <LinkButton to={list}>{texts.toList}</LinkButton>
        </>
      }
    >
      <Card>
        <Facts
          isInLine
          facts={[
            [texts.state, <CheckState key="state" check={check} />],
            [texts.since, check.since === null ? '' : <Time key="since" at={check.since} />],
            [texts.reason, check.reason ?? ''],
            [texts.kind, checkTexts.kinds[check.kind]],
            [texts.what, <Target key="what" site={site} check={check} />],
            [texts.every, everyText(check.everySeconds)],
            [
              texts.certificate,
              check.certificateEndsAt === null ? '' : <Time key="end" at={check.certificateEndsAt} />,
            ],
          ]}
        />
      </Card>
      <Card title={texts.overTime}>
        <SpanChoice choice={choice} />
        <CheckChart {...{ site, check, choice, cursor }} isNamed={false} />
      </Card>
      <Card title={texts.measuredBy}>
        <Measured check={check} />
      </Card>
      {check.path === null ? null : (
        <Card title={texts.path}>
          <HopList hops={check.path} />
        </Card>
      )}
    </Page>
  );
}

function Target({ site, check }: { site: string; check: Check }) {
  const target = targetOf(check);
  if (check.device === undefined) return <span data-foreign>{target}</span>;
  return <Link href={`/sites/${site}/devices/${encodeURIComponent(check.device)}`}>{target}</Link>;
}

function Measured({ check: { label, measured } }: { check: Check }) {
  if (measured.length === 0) return <p className="muted">{texts.noneMeasured}</p>;
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
