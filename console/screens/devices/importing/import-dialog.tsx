/** Imports a CSV file, after a preview of the result. */
import common from 'messages:common';
import importTexts from 'messages:import';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { FileUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { type AnswerOf, ask } from '../../../api/client.ts';
import { problemOf } from '../../../api/problem.ts';
import { numberText } from '../../../text/format.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { ProblemBox } from '../../../ui/state.tsx';
import styles from './import-dialog.module.css';

export type Imported = AnswerOf<'POST /devices/import'>;

type Mode = 'merge' | 'replace';

interface Props {
  site: string;
  /** Null: the dialog asks for one. */
  file: File | null;
  onFile: (file: File) => void;
  onImported: (imported: Imported) => void;
  onClose: () => void;
}

export default function ImportDialog({ site, file, onFile, onImported, onClose }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [mode, setMode] = useState<Mode>('merge');
  return (
    <Dialog title={importTexts.title} onClose={onClose} isWide>
      <div className="grid grid-cols-1 gap-4">
        <input
          ref={input}
          type="file"
          accept=".csv,text/csv"
          hidden
          aria-label={importTexts.file}
          onChange={({ target }) => {
            const chosen = target.files?.[0];
            target.value = ''; // So that the same file can be chosen again after a correction.
            if (chosen !== undefined) onFile(chosen);
          }}
        />
        <div className="flex flex-wrap items-center justify-between gap-3 p-4 border border-dashed border-control-line rounded-control wrap-anywhere">
          <span data-foreign>{file === null ? importTexts.hint : file.name}</span>
          <Button look={file === null ? 'primary' : 'plain'} onClick={() => input.current?.click()} icon={<FileUp />}>
            {file === null ? importTexts.choose : importTexts.chooseOther}
          </Button>
        </div>
        {file === null ? null : (
          <>
            <ModeChoice mode={mode} onChange={setMode} />
            <Plan
              key={`${mode} ${file.name} ${file.size} ${file.lastModified}`}
              {...{ site, file, mode, onImported, onClose }}
            />
          </>
        )}
      </div>
    </Dialog>
  );
}

function ModeChoice({ mode, onChange }: { mode: Mode; onChange: (mode: Mode) => void }) {
  return (
    <fieldset className="grid gap-1 m-0 p-0 border-0">
      <legend className="visually-hidden">{importTexts.mode}</legend>
      {(['merge', 'replace'] as const).map((one) => (
        <label key={one} className="flex items-center gap-2 min-h-7">
          <input type="radio" name="mode" checked={mode === one} onChange={() => onChange(one)} />
          <span>{importTexts.modes[one]}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface PlanProps extends Pick<Props, 'site' | 'onImported' | 'onClose'> {
  file: File;
  mode: Mode;
}

function Plan({ site, file, mode, onImported, onClose }: PlanProps) {
  const queries = useQueryClient();
  const [allowSkipped, setAllowed] = useState(false);
  const query = { mode, allowSkipped: String(allowSkipped) };
  const plan = useQuery({
    queryKey: ['POST /devices/import', 'rehearsal', site, query, file.name, file.size, file.lastModified],
    queryFn: ({ signal }) => ask('POST /devices/import', { site, file, query: { ...query, dryRun: 'true' }, signal }),
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => ask('POST /devices/import', { site, file, query }),
    async onSuccess(imported) {
      await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === site });
      onImported(imported);
    },
  });

  return (
    <>
      {plan.error !== null ? <Refusal error={plan.error} onAllow={() => setAllowed(true)} /> : null}
      {plan.isFetching ? <p role="status">{importTexts.reading}</p> : null}
      {plan.data === undefined ? null : <ImportReport report={plan.data} />}
      {error === null ? null : <ProblemBox error={error} />}
      <DialogActions>
        <Button onClick={onClose}>{common.cancel}</Button>
        {plan.data === undefined ? null : (
          <Button
            look={plan.data.deleted > 0 ? 'danger' : 'primary'}
            disabled={isPending || plan.isFetching || (plan.data.inserted === 0 && plan.data.deleted === 0)}
            onClick={() => mutate()}
          >
            {isPending ? importTexts.importing : importTexts.importNow(plan.data)}
          </Button>
        )}
      </DialogActions>
    </>
  );
}

/** Why the API rejects the import. A replacement with unreadable lines, whose devices it may delete, has to be confirmed. */
function Refusal({ error, onAllow }: { error: unknown; onAllow: () => void }) {
  const { fields, skipped, skippedCount } = problemOf(error);
  return (
    <>
      <ProblemBox error={error} />
      <Lines title={importTexts.skippedLines} lines={skipped} count={skippedCount} />
      {fields.some(({ path }) => path === 'query.allowSkipped') ? (
        <Button look="danger" onClick={onAllow}>
          {importTexts.replaceNevertheless}
        </Button>
      ) : null}
    </>
  );
}

function ImportReport({ report }: { report: Imported }) {
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
  /** Including those that are not in `lines`. */
  count: number;
}

function Lines({ title, lines, count }: LinesProps) {
  if (count === 0) return null;
  return (
    <section className={`${styles.lines} grid gap-1 min-w-0`} aria-label={title}>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling elements must be reachable by keyboard (WCAG 2.1.1) */}
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
