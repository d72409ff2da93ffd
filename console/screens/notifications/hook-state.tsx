/** Whether a hook is on, and whether its deliveries arrive. */
import type { Hook } from '../../../shared/api/hooks.ts';
import { Status, type Tone } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './notifications.module.css';
import { texts } from './texts.ts';

type State = keyof typeof texts.states;

const TONES: Record<State, Tone> = { on: 'good', off: 'calm', failing: 'warn', ended: 'bad' };

export function stateOf({ enabled, problem, failingSince }: Hook): State {
  if (problem !== null) return 'ended';
  if (!enabled) return 'off';
  return failingSince === null ? 'on' : 'failing';
}

export function HookState({ hook }: { hook: Hook }) {
  const state = stateOf(hook);
  return (
    <div className={styles.state}>
      <Status tone={TONES[state]}>{texts.states[state]}</Status>
      {hook.problem === null ? null : <span data-foreign>{hook.problem}</span>}
      {state === 'failing' ? (
        <span>
          {texts.failingSince} <Time at={hook.failingSince} />
        </span>
      ) : null}
    </div>
  );
}
