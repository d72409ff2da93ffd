/** Of what a hook tells, in which form, and when it did last. */
import type { Hook } from '../../../shared/api/hooks.ts';
import { texts } from '../../text/texts.ts';
import { Actor } from '../../ui/actor.tsx';
import type { KnownActors } from '../../ui/actor-name.ts';
import { Time } from '../../ui/time.tsx';
import styles from './hooks.module.css';

export function HookFacts({ hook, actors }: { hook: Hook; actors: KnownActors }) {
  return (
    <dl className={styles.facts}>
      <div>
        <dt>{texts.hooks.events}</dt>
        <dd>
          {hook.events.map((type) => texts.hooks.deliveryEvents[type]).join(', ')}
          {hook.skipRandomMacs ? ` ${texts.hooks.skipsRandomMacs}` : ''}
        </dd>
      </div>
      <div>
        <dt>{texts.hooks.format}</dt>
        <dd>{texts.hooks.formats[hook.format]}</dd>
      </div>
      <div>
        <dt>{texts.hooks.delivered}</dt>
        <dd title={texts.hooks.deliveredHow}>
          <Time at={hook.deliveredAt} />
        </dd>
      </div>
      <div>
        <dt>{texts.hooks.created}</dt>
        <dd>
          <Time at={hook.createdAt} />
        </dd>
      </div>
      <div>
        <dt>{texts.hooks.createdBy}</dt>
        <dd>
          <Actor id={hook.createdBy} known={actors} />
        </dd>
      </div>
    </dl>
  );
}
