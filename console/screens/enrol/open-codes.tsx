/** The codes with which hosts can still become agents of a site, and their end. */
import texts from 'messages:enrol';
import { useAnswer, useChange } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import { agentName } from '../agents/agent-name.ts';

export function OpenCodes({ site }: { site: string }) {
  const { data } = useAnswer('GET /enrolment-codes');
  const revoke = useChange('DELETE /enrolment-codes/{id}');
  const codes = data?.codes.filter((code) => code.site === site) ?? [];
  if (codes.length === 0) return null;
  return (
    <Card title={texts.codes}>
      <ul className="grid gap-3" aria-label={texts.codes}>
        {codes.map(({ id, agent, used, uses, expiresAt, networks }) => {
          const name = agent === null ? texts.hosts({ used, uses }) : agentName(agent);
          return (
            <li key={id} className="flex flex-wrap items-center justify-between gap-y-1 gap-x-4">
              <span data-foreign>{[name, ...networks].join(' · ')}</span>
              <span className="text-muted">
                {texts.until} <Time at={expiresAt} />
              </span>
              <Button
                aria-label={texts.revokeOf({ name })}
                disabled={revoke.isPending}
                onClick={() =>
                  revoke.mutate({ params: { id } }, { onSuccess: () => showToast(texts.revoked), onError: showProblem })
                }
              >
                {texts.revoke}
              </Button>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
