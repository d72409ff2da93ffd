/** The form with what people say of a device. */
import common from 'messages:common';
import texts from 'messages:device';
import fieldLabels from 'messages:deviceFields';
import { type FormEvent, useState } from 'react';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import type { EditableField } from '../../../shared/device.ts';
import { problemOf } from '../../api/problem.ts';
import { useAnswer } from '../../api/queries.ts';
import { proposedTypes, valuesInUse } from '../../text/proposed-values.ts';
import { Button } from '../../ui/button.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { DeviceField } from '../../ui/device-field.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { ProblemBox } from '../../ui/state.tsx';
import { showToast } from '../../ui/toast.tsx';
import { fitting } from './fitting.ts';
import { editOf, type TextField as Field, isEmpty, rebased, textsOf } from './merge-edit.ts';
import { nowIs } from './now-is.ts';
import { type Edited, useDeviceEditor } from './use-device.ts';

interface Props {
  site: string;
  device: OneDevice;
  /** The field that has the focus at first. */
  first?: Field;
  onClose: () => void;
}

export function EditDialog({ site, device, first = 'devName', onClose }: Props) {
  /** The device as it was when the form was opened, or when a conflict was shown. */
  const [read, setRead] = useState(device);
  const [values, setValues] = useState(() => textsOf(device));
  const [stopped, setStopped] = useState<Edited | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const editor = useDeviceEditor(site, device.key);
  const { data: facets } = useAnswer('GET /devices/facets', { site }, { everyMs: 0 });

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const edit = editOf(read, values);
    if (isEmpty(edit)) return onClose();
    setBusy(true);
    setProblem(null);
    try {
      const edited = await editor.edit(read, edit);
      if (edited.conflicts.length === 0) {
        showToast(texts.saved);
        return onClose();
      }
      setValues(rebased(read, edited.device, values));
      setRead(edited.device);
      setStopped(edited);
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  }

  const set = (field: Field, value: string) => setValues((before) => ({ ...before, [field]: value }));
  const refused = problem === null ? [] : problemOf(problem).fields;

  /** What every field of the form has in common. */
  const about = (field: Field) => ({
    label: fieldLabels[field],
    value: values[field],
    'data-first': field === first || undefined,
    error: refused.find(({ path }) => path === field)?.message,
    hint: stopped?.conflicts.includes(field) ? (
      <Theirs value={read[field]} onTake={() => set(field, read[field])} />
    ) : undefined,
    onChange: ({ target }: { target: { value: string } }) => set(field, target.value),
  });

  const proposed = (field: Field, proposals: readonly string[]) => ({
    suggestions: fitting(proposals, values[field]),
    onChange: (value: string) => set(field, value),
  });
  const parent = about('devParentMAC');
  return (
    <Dialog title={texts.editTitle} onClose={onClose} isWide>
      <form onSubmit={(event) => void submit(event)}>
        {stopped === null ? null : <Conflict {...stopped} />}
        <div className="grid items-start grid-cols-[repeat(auto-fit,minmax(min(100%,240px),1fr))] gap-y-3 gap-x-4">
          <TextField {...about('devName')} />
          <Combobox {...about('devType')} {...proposed('devType', proposedTypes(facets?.type))} />
          <TextField {...about('devModel')} />
          <Combobox {...about('devGroup')} {...proposed('devGroup', valuesInUse(facets?.group))} />
          <TextField {...about('devOwner')} />
          <TextField {...about('devLocation')} />
          <DeviceField site={site} {...parent} hint={parent.hint ?? texts.parentHint} />
          <TextField {...about('devParentPort')} />
          <div className="col-span-full">
            <TextArea {...about('devComments')} />
          </div>
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
