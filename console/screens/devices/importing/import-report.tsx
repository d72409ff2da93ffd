/** What an import does, and which lines of the file it does not take as they are. */
import importTexts from 'messages:import';
import type { AnswerOf } from '../../../api/client.ts';
import { numberText } from '../../../text/format.ts';
import styles from './import-dialog.module.css';

export type Imported = AnswerOf<'POST /devices/import'>;

export function ImportReport({ report }: { report: Imported }) {
  const { inserted, updated, deleted, skipped, skipped_count, adjusted, adjusted_count, ignored_columns } = report;
  const numbers: [label: string, count: number, isBad: boolean][] = [
    [importTexts.added, inserted - updated, false],
    [importTexts.updated, updated, false],
    [importTexts.deleted, deleted, deleted > 0],
    [importTexts.skipped, skipped_count, skipped_count > 0],
    [importTexts.adjusted, adjusted_count, false],
  ];
  return (
    <>
      <dl
        className={`${styles.numbers} grid grid-cols-[repeat(auto-fit,minmax(104px,1fr))] gap-2 [&_dt]:text-muted [&_dt]:text-sm [&_dd]:text-[1.3rem] [&_dd]:tabular-nums [&_dd]:leading-[1.3]`}
      >
        {numbers.map(([label, count, isBad]) => (
          <div key={label} data-bad={isBad || undefined}>
            <dt>{label}</dt>
            <dd>{numberText(count)}</dd>
          </div>
        ))}
      </dl>
      <Lines title={importTexts.skippedLines} lines={skipped} count={skipped_count} />
      <Lines title={importTexts.adjustedLines} lines={adjusted} count={adjusted_count} />
      {ignored_columns.length === 0 ? null : (
        <p>
          {importTexts.ignoredColumns}{' '}
          {ignored_columns.map((name) => (
            <code key={name} className="me-2 wrap-anywhere" data-foreign>
              {name}
            </code>
          ))}
        </p>
      )}
    </>
  );
}

interface LinesProps {
  title: string;
  lines: readonly { line: number; reason: string }[];
  /** Those that are not named included. */
  count: number;
}

export function Lines({ title, lines, count }: LinesProps) {
  if (count === 0) return null;
  return (
    <section className={`${styles.lines} grid gap-1 min-w-0`} aria-label={title}>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1) */}
      <ul tabIndex={0} aria-label={title}>
        {lines.map(({ line, reason }) => (
          <li key={`${line} ${reason}`}>
            <span className="flex-none min-w-18 text-muted tabular-nums">{importTexts.line({ line })}</span>
            <span data-foreign>{reason}</span>
          </li>
        ))}
        {count > lines.length ? <li>{importTexts.moreLines({ count: count - lines.length })}</li> : null}
      </ul>
    </section>
  );
}
