/** Adds the loss and the return of an agent to a notification of the site, in one click. */
import texts from 'messages:agent';
import { BellRing } from 'lucide-react';
import type { Hook } from '../../../shared/api/hooks.ts';
import { useAnswer, useChange } from '../../api/queries.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';

const WANTED = ['agent-lost', 'agent-back'] as const;

export function AlertOffer({ site }: { site: string }) {
  const { data } = useAnswer('GET /hooks', { site });
  const change = useChange('PATCH /hooks/{hook}');
  if (data === undefined) return null;
  const enabled = data.hooks.filter(({ enabled: isEnabled }) => isEnabled);
  const alerting = enabled.find(({ events }) => events.includes('agent-lost'));
  if (alerting !== undefined) {
    const state = texts.telling({ name: nameOf(alerting) });
    return (
      <span className="inline-flex items-center text-muted [&_svg]:size-4.5" title={state}>
        <BellRing aria-hidden="true" />
        <span className="visually-hidden">{state}</span>
      </span>
    );
  }
  const add = (hook: Hook) =>
    change.mutate(
      { site, params: { hook: hook.id }, body: { events: [...new Set([...hook.events, ...WANTED])] } },
      { onSuccess: () => showToast(texts.alerted({ name: nameOf(hook) })), onError: showProblem },
    );
  const [only, ...others] = enabled;
  const inside = (
    <>
      <BellRing aria-hidden="true" />
      {texts.tell}
    </>
  );
  if (only === undefined) return <LinkButton to={`/sites/${site}/notifications`}>{inside}</LinkButton>;
  if (others.length === 0) {
    return (
      <Button disabled={change.isPending} onClick={() => add(only)}>
        {inside}
      </Button>
    );
  }
  return (
    <Menu
      label={texts.tell}
      items={enabled.map((hook) => ({ label: texts.tellBy({ name: nameOf(hook) }), run: () => add(hook) }))}
    >
      {inside}
    </Menu>
  );
}

function nameOf({ url }: Hook): string {
  return url.replace(/^https?:\/\//, '').replace(/\/.*$/, '');
}
