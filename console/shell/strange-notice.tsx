/** Asks whether a network that an agent takes for another one is the right one. */
import texts from 'messages:shell';
import { POLL_MS, useAnswer, useChange } from '../api/queries.ts';
import { useRights } from '../api/rights.ts';
import { Button } from '../ui/button.tsx';
import { showProblem } from '../ui/toast.tsx';
import { strangeNetworksOf, withGateway } from './strange-networks.ts';

export function StrangeNotice({ site }: { site: string }) {
  const rights = useRights();
  const params = { site };
  const agents = useAnswer(
    'GET /sites/{site}/agents',
    { params },
    { everyMs: POLL_MS.calm, when: rights.may('nettools:run') },
  );
  const { data } = useAnswer('GET /sites/{site}', { params }, { when: rights.may('devices:read') });
  const change = useChange('PATCH /sites/{site}');
  const confirm = (gateway: string) => {
    const gateways = withGateway(data?.discovery.gateways, gateway);
    change.mutate({ params, body: { discovery: { gateways } } }, { onError: showProblem });
  };
  return strangeNetworksOf(agents.data?.agents ?? []).map(({ key, text, gateway }) => {
    const isConfirmed = gateway !== null && (data?.discovery.gateways ?? []).includes(gateway);
    return (
      <div key={key} className="note" role="status">
        <span>{isConfirmed ? texts.strangeConfirmed({ text }) : text}</span>
        {gateway === null || isConfirmed || data === undefined || !rights.may('admin') ? null : (
          <Button disabled={change.isPending} onClick={() => confirm(gateway)}>
            {texts.strangeConfirm}
          </Button>
        )}
      </div>
    );
  });
}
