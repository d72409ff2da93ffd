/** A newer release for an agent: when it updates automatically, how to make it so, and the line for its host. */
import texts from 'messages:agent';
import type { ListedAgent } from '../../../shared/api/records.ts';
import { shellWord } from '../../../shared/install-line.ts';
import { useAnswer, useChange } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { BASE_URL } from '../../api/session.ts';
import { useSiteName } from '../../api/site-name.ts';
import { Button } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy-line.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';

export function UpdateOffer({ site, agent }: { site: string; agent: ListedAgent }) {
  const rights = useRights();
  const name = useSiteName(site);
  const change = useChange('PATCH /sites/{site}');
  const settings = useAnswer(
    'GET /sites/{site}',
    { params: { site } },
    { when: agent.updateAvailable !== null && rights.may('devices:read') },
  );
  if (agent.updateAvailable === null || !rights.may('admin')) return null;
  const isAble = agent.update?.able === true;
  if (isAble && settings.data?.updates.mode === 'auto') return <p className="text-muted">{texts.updateSoon}</p>;
  return (
    <div className="grid gap-2 min-w-0 pt-3 border-t border-line">
      <strong>{texts.updateTo({ version: agent.updateAvailable })}</strong>
      {isAble ? (
        <div>
          <Button
            look="primary"
            disabled={change.isPending}
            onClick={() =>
              change.mutate(
                { params: { site }, body: { updates: { mode: 'auto' } } },
                { onSuccess: () => showToast(texts.updateSelfDone({ site: name })), onError: showProblem },
              )
            }
          >
            {texts.updateSelf}
          </Button>
        </div>
      ) : null}
      <p className="text-muted">{texts.updateByHand}</p>
      <CopyLine
        label={texts.updateByHand}
        text={`curl -fsSL ${shellWord(`${BASE_URL}/agent/install.sh`)} | sh -s -- --url ${shellWord(BASE_URL)}`}
      />
    </div>
  );
}
