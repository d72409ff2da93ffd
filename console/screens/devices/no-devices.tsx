/** What stands in the place of the devices when there are none to show, and what to do about it. */
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
      {hasFilter ? <p>{texts.nothingFitsHint}</p> : null}
      {hasFilter ? (
        <div className={NEXT}>
          <Button look="primary" onClick={() => changeView(NO_FILTER)}>
            {texts.clearFilter}
          </Button>
        </div>
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
  // The list itself looks as often, and shows what is found as soon as it is found.
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

/** @param first null: it is not known, or this token may not know it */
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
  const settings = (look: 'primary' | 'plain') => (
    <LinkButton to={`/sites/${site}/settings`} look={look}>
      {first?.step === 'connect-agent' ? texts.toAgents : texts.toDiscovery}
    </LinkButton>
  );
  switch (first?.step) {
    case undefined:
    case 'wait':
      return settings('plain');
    case 'clear':
    case 'connect-agent':
      return settings('primary');
    case 'add-agent':
      return (
        <LinkButton to={`/sites/${site}/agents/new`} look="primary">
          {texts.addAgent}
        </LinkButton>
      );
    case 'watch':
      return (
        <>
          <Button
            look="primary"
            disabled={change.isPending}
            onClick={() =>
              change.mutate({ params: { site }, body: { discovery: { enabled: true } } }, { onError: showProblem })
            }
          >
            {texts.watch}
          </Button>
          {settings('plain')}
        </>
      );
  }
}
