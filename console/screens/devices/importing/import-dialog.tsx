/** Imports a CSV file: what would come of it is shown first. */
import common from 'messages:common';
import importTexts from 'messages:import';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { FileUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { ask } from '../../../api/client.ts';
import { problemOf } from '../../../api/problem.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { ProblemBox } from '../../../ui/state.tsx';
import { type Imported, ImportReport, Lines } from './import-report.tsx';

type Mode = 'merge' | 'replace';

interface Props {
  site: string;
  /** Null: the dialog asks for one. */
  file: File | null;
  onFile: (file: File) => void;
  onImported: (imported: Imported) => void;
  onClose: () => void;
}

export function ImportDialog({ site, file, onFile, onImported, onClose }: Props) {
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
            target.value = ''; // The same file can be chosen again, after it was repaired.
            if (chosen !== undefined) onFile(chosen);
          }}
        />
        <div className="flex flex-wrap items-center justify-between gap-3 p-4 border border-dashed border-control-line rounded-control wrap-anywhere">
          <span data-foreign>{file === null ? importTexts.hint : file.name}</span>
          <Button look={file === null ? 'primary' : 'plain'} onClick={() => input.current?.click()}>
            <FileUp aria-hidden="true" />
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
  const [isImporting, setImporting] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [allowSkipped, setAllowed] = useState(false);
  const query = { mode, allowSkipped: String(allowSkipped) };
  const plan = useQuery({
    queryKey: ['POST /devices/import', 'rehearsal', site, query, file.name, file.size, file.lastModified],
    queryFn: ({ signal }) => ask('POST /devices/import', { site, file, query: { ...query, dryRun: 'true' }, signal }),
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });

  async function start(): Promise<void> {
    setImporting(true);
    setFailure(null);
    try {
      const imported = await ask('POST /devices/import', { site, file, query });
      await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === site });
      onImported(imported);
    } catch (error) {
      setImporting(false);
      setFailure(problemOf(error));
    }
  }

  return (
    <>
      {plan.error !== null ? <Refusal error={plan.error} onAllow={() => setAllowed(true)} /> : null}
      {plan.isFetching ? <p role="status">{importTexts.reading}</p> : null}
      {plan.data === undefined ? null : <ImportReport report={plan.data} />}
      {failure === null ? null : <ProblemBox error={failure} />}
      <DialogActions>
        <Button onClick={onClose}>{common.cancel}</Button>
        {plan.data === undefined ? null : (
          <Button
            look={plan.data.deleted > 0 ? 'danger' : 'primary'}
            disabled={isImporting || plan.isFetching || (plan.data.inserted === 0 && plan.data.deleted === 0)}
            onClick={() => void start()}
          >
            {isImporting ? importTexts.importing : importTexts.importNow(plan.data)}
          </Button>
        )}
      </DialogActions>
    </>
  );
}

/** Why nothing can be imported so; a replacement that would remove what unreadable lines may name has to be allowed. */
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
