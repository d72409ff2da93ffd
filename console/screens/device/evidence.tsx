/** Why it is taken for what it is, folded: what agents and scans have observed of it. */
import type { DeviceEvidence } from '../../../shared/api/device-evidence.ts';
import { fieldLabels } from '../../text/device-fields.ts';
import { sourceTexts } from '../../text/observation-texts.ts';
import { Time } from '../../ui/time.tsx';
import styles from './facts.module.css';
import { texts } from './texts.ts';

type Judged = { because: readonly { source: keyof typeof sourceTexts; value: string }[] } | null | undefined;

/** The device may lie: what it says of itself is shown as its words, and nothing is done with it but to show it. */
export function Evidence({ of: { judgement, observations } }: { of: DeviceEvidence }) {
  if (observations.length === 0) return null;
  const judged = [
    ['devType', judgement.kind],
    ['devVendor', judgement.vendor],
    ['devModel', judgement.model],
    ['devName', judgement.name],
  ] as const satisfies readonly (readonly [keyof typeof fieldLabels, Judged])[];
  return (
    <details className={styles.details}>
      <summary>{texts.why}</summary>
      <dl className={styles.because}>
        {judged.flatMap(([field, one]) =>
          one ? (
            <div key={field}>
              <dt>{fieldLabels[field]}</dt>
              <dd>
                <Because of={one.because} />
              </dd>
            </div>
          ) : (
            []
          ),
        )}
      </dl>
      <h2>{texts.observations(observations.length)}</h2>
      <p className={styles.hint}>{texts.ownWords}</p>
      <ul className={styles.observations} aria-label={texts.observations(observations.length)}>
        {observations.map(({ by, source, value, since }) => (
          <li key={`${by} ${source} ${value}`}>
            <span>
              {sourceTexts[source]}: <code data-foreign>{value}</code>
            </span>
            <span className={styles.hint}>
              {by === 'scans' ? texts.byScans : by} · <Time at={since} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Because({ of }: { of: NonNullable<Judged>['because'] }) {
  return (
    <ul>
      {of.map(({ source, value }) => (
        <li key={`${source} ${value}`}>
          {sourceTexts[source]}: <code data-foreign>{value}</code>
        </li>
      ))}
    </ul>
  );
}
