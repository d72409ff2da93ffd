/** Of what a hook tells, in which form, and when it did last. */
import type { Hook } from '../../../shared/api/hooks.ts';
import { Actor } from '../../ui/actor.tsx';
import type { KnownActors } from '../../ui/actor-name.ts';
import { Time } from '../../ui/time.tsx';
import styles from './hooks.module.css';
import { texts } from './texts.ts';

export function HookFacts({ hook, actors }: { hook: Hook; actors: KnownActors }) {
  return (
    <dl className={styles.facts}>
      <div>
        <dt>{texts.events}</dt>
        <dd>
          {hook.events.map((type) => texts.deliveryEvents[type]).join(', ')}
          {hook.skipRandomMacs ? ` ${texts.skipsRandomMacs}` : ''}
        </dd>
      </div>
      <div>
        <dt>{texts.format}</dt>
        <dd>{texts.formats[hook.format]}</dd>
      </div>
      <div>
        <dt>{texts.delivered}</dt>
        <dd title={texts.deliveredHow}>
          <Time at={hook.deliveredAt} />
        </dd>
      </div>
      <div>
        <dt>{texts.created}</dt>
        <dd>
          <Time at={hook.createdAt} />
        </dd>
      </div>
      <div>
        <dt>{texts.createdBy}</dt>
        <dd>
          <Actor id={hook.createdBy} known={actors} />
        </dd>
      </div>
    </dl>
  );
}
