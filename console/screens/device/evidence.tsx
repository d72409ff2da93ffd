/** The evidence behind the kind, vendor, model and name of the device: what agents and scans have observed, folded. */
import texts from 'messages:device';
import fieldLabels from 'messages:deviceFields';
import sources from 'messages:sources';
import type { DeviceEvidence } from '../../../shared/api/device-evidence.ts';
import { Time } from '../../ui/time.tsx';
import styles from './facts.module.css';

export const DETAILS = `${styles.details} min-w-0 text-sm [&_summary:hover]:text-text [&[open]]:[&_summary]:mb-1 [&_h2]:mt-3 [&_h2]:text-sm`;

/** The device may lie: its words are shown as such, and used for nothing else. */
export function Evidence({ of: { judgement, observations } }: { of: DeviceEvidence }) {
  if (observations.length === 0) return null;
  const verdicts = [
    ['devType', judgement.kind],
    ['devVendor', judgement.vendor],
    ['devModel', judgement.model],
    ['devName', judgement.name],
  ] as const;
  /** The fields that an observation supports. */
  const fieldsOf = ({ source, value }: DeviceEvidence['observations'][number]) =>
    verdicts
      .filter(([, verdict]) => verdict?.because.some((one) => one.source === source && one.value === value))
      .map(([field]) => fieldLabels[field]);
  return (
    <details className={DETAILS}>
      <summary>{texts.why}</summary>
      <h2>{texts.observations({ count: observations.length })}</h2>
      <p className="text-muted text-xs">{texts.ownWords}</p>
      <ul
        className="grid gap-1 mt-1 [&_li]:grid [&_li]:wrap-anywhere [&_li]:text-xs"
        aria-label={texts.observations({ count: observations.length })}
      >
        {observations.map((observation) => {
          const { by, source, value, since } = observation;
          const fields = fieldsOf(observation);
          return (
            <li key={`${by} ${source} ${value}`}>
              <span>
                {sources[source]}: <code data-foreign>{value}</code>
              </span>
              <span className="text-muted text-xs">
                {fields.length === 0 ? null : <strong>{fields.join(', ')} · </strong>}
                {by === 'scans' ? texts.byScans : by} · <Time at={since} />
              </span>
            </li>
          );
        })}
      </ul>
    </details>
  );
}
