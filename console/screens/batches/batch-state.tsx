/** How a batch stands: the state in a word, and how many of its sites are where. */
import texts from 'messages:batches';
import type { Batch } from '../../../shared/api/batches.ts';
import { numberText } from '../../text/format.ts';
import { Status, type Tone } from '../../ui/status.tsx';
import styles from './batches.module.css';
import { countOf, PARTS } from './site-state.tsx';

const TONES: Readonly<Record<Batch['state'], Tone>> = {
  running: 'calm',
  stopping: 'warn',
  done: 'good',
  stopped: 'warn',
};

export function BatchState({ batch: { state, counts } }: { batch: Batch }) {
  const failed = countOf(counts, 'failed');
  const isWell = state === 'done' && failed === 0;
  return (
    <div className="grid gap-0.5">
      {isWell ? (
        <span className="text-muted">{texts.states[state]}</span>
      ) : (
        <Status tone={toneOf(state, failed)}>{texts.states[state]}</Status>
      )}
      <span className="text-muted">
        {PARTS.filter((part) => countOf(counts, part) > 0)
          .map((part) => `${texts.parts[part]} ${numberText(countOf(counts, part))}`)
          .join(' · ')}
      </span>
    </div>
  );
}

function toneOf(state: Batch['state'], failed: number): Tone {
  return state === 'done' && failed > 0 ? 'warn' : TONES[state];
}

/** The parts as lengths of one line; their numbers stand beside it in words. */
export function ProgressLine({ batch: { counts, total } }: { batch: Batch }) {
  const ended = total - countOf(counts, 'waiting') - countOf(counts, 'running');
  return (
    <div
      className={`${styles.line} flex gap-px h-2 rounded-[4px] bg-line overflow-hidden forced-colors:border forced-colors:border-[CanvasText] [&_span]:basis-0 [&_span]:[transition:flex-grow_var(--quick)]`}
      role="progressbar"
      aria-label={texts.progress({ ended, all: total })}
      aria-valuenow={ended}
      aria-valuemin={0}
      aria-valuemax={total}
    >
      {(['succeeded', 'failed', 'skipped', 'running'] as const).map((part) => {
        const count = countOf(counts, part);
        return count === 0 ? null : <span key={part} data-part={part} style={{ flexGrow: count }} />;
      })}
      <span style={{ flexGrow: countOf(counts, 'waiting') }} />
    </div>
  );
}
