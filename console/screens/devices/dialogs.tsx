/** The small dialogs of the screen: columns, a name for the view, export, deletion. */
import common from 'messages:common';
import texts from 'messages:devices';
import importTexts from 'messages:import';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { download } from '../../api/client.ts';
import { numberText } from '../../text/format.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Answered } from '../../ui/state.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import { COLUMN_NAMES, type ColumnName, FIXED_COLUMNS } from './columns.tsx';
import { titleOf } from './device.ts';
import { countRemoved } from './device-changes.ts';
import { MAX_NAME, saveView } from './saved-views.ts';
import { useScreen } from './screen.ts';

interface Props {
  onClose: () => void;
}

/** Every change is shown at once. */
export function ColumnDialog({ onChange, onClose }: Props & { onChange: (names: ColumnName[] | null) => void }) {
  const { columns } = useScreen();
  return (
    <Dialog title={texts.columnsTitle} onClose={onClose}>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(160px,1fr))] gap-x-4">
        {COLUMN_NAMES.map((name) => (
          <CheckField
            key={name}
            label={texts.columns[name]}
            checked={columns.includes(name)}
            disabled={FIXED_COLUMNS.includes(name)}
            onChange={({ target }) =>
              onChange(target.checked ? [...columns, name] : columns.filter((other) => other !== name))
            }
          />
        ))}
      </div>
      <DialogActions>
        <Button onClick={() => onChange(null)}>{texts.columnsReset}</Button>
        <Button look="primary" onClick={onClose}>
          {common.close}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** @param query that of the address, columns included */
export function SaveViewDialog({ query, onClose }: Props & { query: string }) {
  const { site } = useScreen();
  const [typed, setTyped] = useState('');
  const name = typed.trim();

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (name === '') return;
    saveView(site, name, query);
    showToast(texts.viewSaved({ name }));
    onClose();
  }

  return (
    <Dialog title={texts.saveViewTitle} onClose={onClose}>
      <form onSubmit={submit}>
        <TextField
          label={texts.viewName}
          hint={texts.saveViewHint}
          maxLength={MAX_NAME}
          autoFocus
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <DialogActions>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" look="primary" disabled={name === ''}>
            {common.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Saves the devices as a CSV file. */
export function ExportDialog({ onClose }: Props) {
  const { site } = useScreen();
  const { mutate, isPending } = useMutation({
    mutationFn: async (columns: 'all' | undefined) => {
      const file = await download('GET /devices/export', { site, query: { columns } });
      saveFile(`devices-${site}-${new Date().toISOString().slice(0, 10)}.csv`, file);
    },
    onSuccess: onClose,
    onError: showProblem,
  });
  return (
    <Dialog title={importTexts.exportTitle} onClose={onClose}>
      <div className="grid gap-3">
        <p>{importTexts.exportAll}</p>
        <Button look="primary" disabled={isPending} onClick={() => mutate('all')} icon={<Download />}>
          {importTexts.exportAllNow}
        </Button>
        <p>{importTexts.exportShort}</p>
        <Button disabled={isPending} onClick={() => mutate(undefined)} icon={<Download />}>
          {importTexts.exportShortNow}
        </Button>
      </div>
    </Dialog>
  );
}

export function DeleteDialog({ keys, onClose }: Props & { keys: readonly string[] }) {
  const { site, list, grid, actions } = useScreen();
  const [isDeleting, setDeleting] = useState(false);
  const queryKey = ['devices to delete', useId()];
  const count = useQuery({ queryKey, queryFn: () => countRemoved(site, keys), gcTime: 0 });
  const only = keys.length === 1 ? list.find(keys[0] ?? '') : undefined;
  async function remove(): Promise<void> {
    setDeleting(true);
    await actions.remove(keys);
    grid.select([]);
    onClose();
  }
  return (
    <Dialog title={texts.deleteTitle({ count: keys.length })} onClose={onClose}>
      <Answered of={count}>
        {(found) => (
          <>
            <p data-foreign>
              {only === undefined ? texts.deleteMany({ count: found }) : texts.deleteOne({ name: titleOf(only) })}{' '}
              {texts.deleteUndo}
            </p>
            <DialogActions>
              <Button onClick={onClose}>{common.cancel}</Button>
              <Button look="danger" autoFocus disabled={isDeleting || found === 0} onClick={() => void remove()}>
                {isDeleting ? texts.working : texts.deleteNow({ count: numberText(found) })}
              </Button>
            </DialogActions>
          </>
        )}
      </Answered>
    </Dialog>
  );
}
