/** The roll-out of a release at all sites together, and how an administrator resumes or ends it. */
import agentTexts from 'messages:agents';
import texts from 'messages:siteSettings';
import { useAnswer, useChange } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ProblemBox } from '../../ui/state.tsx';
import { Status } from '../../ui/status.tsx';
import { showToast } from '../../ui/toast.tsx';

export function RollOut() {
  const rights = useRights();
  const { data } = useAnswer('GET /updates');
  const change = useChange('PATCH /updates');
  if (!data?.rollOut) return null;
  const { version, state, ring, underWay, failures } = data.rollOut;
  const may = rights.may('admin') && rights.isForAllSites;
  const set = (wanted: 'going' | 'given-up', said: string) =>
    change.mutate({ body: { version, state: wanted } }, { onSuccess: () => showToast(said) });
  return (
    <>
      <Status tone={state === 'going' ? 'good' : state === 'stopped' ? 'bad' : 'calm'}>
        {texts.release} {version} {texts.rollOutStates[state]}
      </Status>
      <Facts
        facts={[
          [texts.ring, agentTexts.rings[ring]],
          [texts.underWay, underWay],
        ]}
      />
      {failures.map(({ agent, reason, at }) => (
        <p key={`${agent} ${at}`} data-foreign>
          {texts.failed({ agent, reason })}
        </p>
      ))}
      {change.error === null ? null : <ProblemBox error={change.error} />}
      {may ? (
        <div>
          {state === 'going' ? null : (
            <Button disabled={change.isPending} onClick={() => set('going', texts.wentOn({ version }))}>
              {texts.continueRelease}
            </Button>
          )}{' '}
          {state === 'given-up' ? null : (
            <Button
              look="danger"
              disabled={change.isPending}
              onClick={() => set('given-up', texts.gaveUp({ version }))}
            >
              {texts.giveUp}
            </Button>
          )}
        </div>
      ) : null}
    </>
  );
}
