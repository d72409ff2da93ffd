/** The form for all texts that people enter about a device. */
import common from 'messages:common';
import texts from 'messages:device';
import fieldLabels from 'messages:deviceFields';
import { type FormEvent, useState } from 'react';
import type { EditableField } from '../../../shared/device.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ProblemBox } from '../../ui/state.tsx';
import { showToast } from '../../ui/toast.tsx';
import { FieldInput, nowIs, useEditing } from './editing.tsx';
import { editOf, isEmpty, rebased, TEXT_FIELDS, type TextField, textsOf } from './merge-edit.ts';
import { useDeviceScreen } from './screen.ts';
import type { Edited } from './use-device.ts';

export function EditDialog({ onClose }: { onClose: () => void }) {
  const { device } = useDeviceScreen();
  const [values, setValues] = useState(() => textsOf(device));
  const { read, conflict, problem, isBusy, save } = useEditing(() => {
    showToast(texts.saved);
    onClose();
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    const edit = editOf(read, values);
    if (isEmpty(edit)) onClose();
    else void save(edit, (now) => setValues(rebased(read, now, values)));
  }

  const set = (field: TextField, value: string) => setValues((before) => ({ ...before, [field]: value }));
  const input = (field: TextField) => (
    <FieldInput
      key={field}
      field={field}
      value={values[field]}
      error={problem?.fields.find(({ path }) => path === field)?.message}
      hint={
        conflict?.conflicts.includes(field) && <Theirs value={read[field]} onTake={() => set(field, read[field])} />
      }
      onChange={(value) => set(field, value)}
    />
  );
  return (
    <Dialog title={texts.editTitle} onClose={onClose} isWide>
      <form onSubmit={submit}>
        {conflict === null ? null : <Conflict {...conflict} />}
        <div className="grid items-start grid-cols-[repeat(auto-fit,minmax(min(100%,240px),1fr))] gap-y-3 gap-x-4">
          {TEXT_FIELDS.filter((field) => field !== 'devComments').map(input)}
          <div className="col-span-full">{input('devComments')}</div>
        </div>
        {problem === null ? null : <ProblemBox error={problem} />}
        <DialogActions>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" look="primary" disabled={isBusy}>
            {common.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Conflict({ conflicts, others }: Edited) {
  const names = (fields: readonly EditableField[]) => fields.map((field) => fieldLabels[field]).join(', ');
  return (
    <div className="px-3 py-1.5 rounded-control bg-warn-soft text-sm" role="alert">
      <p>{texts.conflict({ fields: names(conflicts) })}</p>
      {others.length === 0 ? null : <p>{texts.othersChanged({ fields: names(others) })}</p>}
    </div>
  );
}

function Theirs({ value, onTake }: { value: string; onTake: () => void }) {
  return (
    <span className="flex flex-wrap gap-y-1 gap-x-2 items-center text-text wrap-anywhere">
      <span data-foreign>{nowIs(value)}</span>
      <Button onClick={onTake}>{texts.takeIt}</Button>
    </span>
  );
}
