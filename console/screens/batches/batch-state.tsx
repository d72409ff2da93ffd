/** The state of a batch in a word, and the number of its sites in each state. */
import texts from 'messages:batches';
import type { Batch } from '../../../shared/api/batches.ts';
import { Status, type Tone } from '../../ui/status.tsx';
import styles from './batches.module.css';
import { countOf, PARTS } from './site-state.tsx';

const TONES = { running: 'calm', stopping: 'warn', stopped: 'warn' } as const satisfies Partial<Record<string, Tone>>;

export function BatchState({ batch: { state, counts } }: { batch: Batch }) {
  return (
    <div className="grid gap-0.5">
      {state === 'done' && countOf(counts, 'failed') === 0 ? (
        <span className="text-muted">{texts.states[state]}</span>
      ) : (
        <Status tone={state === 'done' ? 'warn' : TONES[state]}>{texts.states[state]}</Status>
      )}
      <span className="text-muted">
        {PARTS.filter((part) => countOf(counts, part) > 0)
          .map((part) => texts.partOf({ part: texts.parts[part], count: countOf(counts, part) }))
          .join(', ')}
      </span>
    </div>
  );
}

export function progressText({ counts, total }: Batch): string {
  return texts.progress({ ended: endedOf(counts, total), all: total });
}

function endedOf(counts: Batch['counts'], total: number): number {
  return total - countOf(counts, 'waiting') - countOf(counts, 'running');
}

const DRAWN = ['succeeded', 'failed', 'skipped', 'running', 'waiting'] as const;

/** The parts as lengths of one line, with their names and counts below. */
export function ProgressLine({ batch }: { batch: Batch }) {
  const { counts, total } = batch;
  return (
    <>
      <div
        className={`${styles.line} flex gap-px h-2 rounded-[4px] bg-line overflow-hidden forced-colors:border forced-colors:border-[CanvasText] [&_span]:basis-0 [&_span]:[transition:flex-grow_var(--quick)]`}
        role="progressbar"
        aria-label={progressText(batch)}
        aria-valuenow={endedOf(counts, total)}
        aria-valuemin={0}
        aria-valuemax={total}
      >
        {DRAWN.map((part) => {
          const count = countOf(counts, part);
          return count === 0 ? null : <span key={part} data-part={part} style={{ flexGrow: count }} />;
        })}
      </div>
      <ul className={`${styles.line} ${styles.legend} flex flex-wrap gap-y-1 gap-x-4 text-sm text-muted`}>
        {DRAWN.filter((part) => countOf(counts, part) > 0).map((part) => (
          <li key={part} className="inline-flex items-center gap-1.5">
            <span data-part={part} aria-hidden="true" />
            {texts.partOf({ part: texts.parts[part], count: countOf(counts, part) })}
          </li>
        ))}
      </ul>
    </>
  );
}
