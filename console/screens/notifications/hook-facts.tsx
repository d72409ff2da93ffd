/** What a hook tells of, in which form, and when it last did. */
import type { Hook } from '../../../shared/api/hooks.ts';
import { Actor } from '../../ui/actor.tsx';
import type { KnownActors } from '../../ui/actor-name.ts';
import { Facts } from '../../ui/facts.tsx';
import { Time } from '../../ui/time.tsx';
import { texts } from './texts.ts';

export function HookFacts({ hook, actors }: { hook: Hook; actors: KnownActors }) {
  const events = hook.events.map((type) => texts.deliveryEvents[type]).join(', ');
  return (
    <Facts
      isInLine
      facts={[
        [texts.events, hook.skipRandomMacs ? `${events} ${texts.skipsRandomMacs}` : events],
        [texts.digest, texts.digestText(hook.digest)],
        [texts.format, texts.formats[hook.format]],
        [
          texts.delivered,
          <span key="delivered" title={texts.deliveredHow}>
            <Time at={hook.deliveredAt} />
          </span>,
        ],
        [texts.created, <Time key="created" at={hook.createdAt} />],
        [texts.createdBy, <Actor key="by" id={hook.createdBy} known={actors} />],
      ]}
    />
  );
}
