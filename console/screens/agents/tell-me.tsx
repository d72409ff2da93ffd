/** One click by which somebody who is told of other things is also told when an agent goes and when it is back. */
import texts from 'messages:agent';
import { BellRing } from 'lucide-react';
import type { AnswerOf } from '../../api/client.ts';
import { useAnswer, useChange } from '../../api/queries.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';

type Hook = AnswerOf<'GET /hooks'>['hooks'][number];

const WANTED = ['agent-lost', 'agent-back'] as const;

export function TellMe({ site }: { site: string }) {
  const { data } = useAnswer('GET /hooks', { site });
  const change = useChange('PATCH /hooks/{hook}');
  if (data === undefined) return null;
  const enabled = data.hooks.filter(({ enabled: isEnabled }) => isEnabled);
  const telling = enabled.find(({ events }) => events.includes('agent-lost'));
  if (telling !== undefined) {
    return (
      <span
        className="inline-flex items-center text-muted [&_svg]:size-4.5"
        title={texts.telling({ name: nameOf(telling) })}
      >
        <BellRing aria-hidden="true" />
        <span className="visually-hidden">{texts.telling({ name: nameOf(telling) })}</span>
      </span>
    );
  }
  const tell = (hook: Hook) =>
    change.mutate(
      { site, params: { hook: hook.id }, body: { events: [...new Set([...hook.events, ...WANTED])] } },
      { onSuccess: () => showToast(texts.told({ name: nameOf(hook) })), onError: showProblem },
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
      <Button disabled={change.isPending} onClick={() => tell(only)}>
        {inside}
      </Button>
    );
  }
  return (
    <Menu
      label={texts.tell}
      items={enabled.map((hook) => ({ label: texts.tellBy({ name: nameOf(hook) }), run: () => tell(hook) }))}
    >
      {inside}
    </Menu>
  );
}

function nameOf({ url }: Hook): string {
  return url.replace(/^https?:\/\//, '').replace(/\/.*$/, '');
}
