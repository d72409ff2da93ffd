/** The screen without devices to show, with the next step. */
import agentTexts from 'messages:agents';
import texts from 'messages:devices';
import importTexts from 'messages:import';
import { Archive, MonitorSmartphone, Search } from 'lucide-react';
import { POLL_MS, useAnswer, useChange } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Empty } from '../../ui/state.tsx';
import { showProblem } from '../../ui/toast.tsx';
import { agentName } from '../agents/agent-name.ts';
import { type FirstStep, firstStepOf } from './first-step.ts';
import { useScreen } from './screen.ts';
import { isFiltered, NO_FILTER } from './view.ts';

const NEXT = 'flex flex-wrap justify-center gap-2 mt-2';

export function NoDevices() {
  const { list, view, changeView } = useScreen();
  if (list.size === 0) return <FirstDevices />;
  const hasFilter = isFiltered(view);
  return (
    <Empty title={hasFilter ? texts.nothingFits : texts.allArchived} icon={hasFilter ? Search : Archive}>
      {hasFilter ? (
        <>
          <p>{texts.nothingFitsHint}</p>
          <div className={NEXT}>
            <Button look="primary" onClick={() => changeView(NO_FILTER)}>
              {texts.clearFilter}
            </Button>
          </div>
        </>
      ) : null}
    </Empty>
  );
}

function FirstDevices() {
  const { site: id, canWrite, open } = useScreen();
  const rights = useRights();
  const params = { site: id };
  const site = useAnswer('GET /sites/{site}', { params });
  const agents = useAnswer(
    'GET /sites/{site}/agents',
    { params },
    { everyMs: POLL_MS.lively, when: rights.may('nettools:run') },
  );
  const isKnown = site.data !== undefined && agents.data !== undefined;
  const first = isKnown ? firstStepOf(agents.data.agents, site.data.discovery) : null;
  // As often as the list, so that both show the first devices at once.
  useAnswer('GET /devices/totals', { site: id }, { everyMs: POLL_MS.lively });
  return (
    <Empty title={texts.none} icon={MonitorSmartphone}>
      <Explained first={first} />
      <div className={NEXT}>
        {rights.may('admin') ? <Steps site={id} first={first} /> : null}
        {canWrite ? <Button onClick={() => open({ what: 'import', file: null })}>{importTexts.import}</Button> : null}
      </div>
    </Empty>
  );
}

const listed = (networks: readonly string[]) => ({ count: networks.length, networks: networks.join(', ') });

/** @param first null while it is loading, and where the token may not read it */
function Explained({ first }: { first: FirstStep | null }) {
  const { firstSteps } = texts;
  switch (first?.step) {
    case undefined:
      return <p>{texts.noneHint}</p>;
    case 'add-agent':
      return <p>{firstSteps.addAgent}</p>;
    case 'connect-agent':
      return <p>{firstSteps.connectAgent}</p>;
    case 'watch':
      return <p>{firstSteps.watch({ agent: agentName(first.agent), ...listed(first.networks) })}</p>;
    case 'wait':
      return <p role="status">{firstSteps.wait(listed(first.networks))}</p>;
    case 'clear':
      return (
        <p role="status">
          {firstSteps.clear({ state: agentTexts.discoveryStates[first.state] })}{' '}
          <span data-foreign>{first.problem}</span>
        </p>
      );
  }
}

function Steps({ site, first }: { site: string; first: FirstStep | null }) {
  const change = useChange('PATCH /sites/{site}');
  const step = first?.step;
  if (step === 'add-agent') {
    return (
      <LinkButton to={`/sites/${site}/agents/new`} look="primary">
        {texts.addAgent}
      </LinkButton>
    );
  }
  const watch = { params: { site }, body: { discovery: { enabled: true } } };
  return (
    <>
      {step === 'watch' ? (
        <Button
          look="primary"
          disabled={change.isPending}
          onClick={() => change.mutate(watch, { onError: showProblem })}
        >
          {texts.watch}
        </Button>
      ) : null}
      <LinkButton
        to={`/sites/${site}/settings`}
        look={step === 'clear' || step === 'connect-agent' ? 'primary' : 'plain'}
      >
        {step === 'connect-agent' ? texts.toAgents : texts.toDiscovery}
      </LinkButton>
    </>
  );
}
