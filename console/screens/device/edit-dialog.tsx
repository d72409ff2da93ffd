/** The form for all texts that people enter about a device. */
import common from 'messages:common';
import texts from 'messages:device';
import fieldLabels from 'messages:deviceFields';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { DeviceEdit } from '../../../shared/api/device-edits.ts';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import type { EditableField } from '../../../shared/device.ts';
import { type Problem, problemOf } from '../../api/problem.ts';
import { useAnswer } from '../../api/queries.ts';
import { proposedTypes, valuesInUse } from '../../text/proposed-values.ts';
import { Button } from '../../ui/button.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { DeviceField } from '../../ui/device-field.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { TextArea, TextField as TextInput } from '../../ui/field.tsx';
import { ProblemBox } from '../../ui/state.tsx';
import { showToast } from '../../ui/toast.tsx';
import { editOf, isEmpty, rebased, TEXT_FIELDS, type TextField, textsOf } from './merge-edit.ts';
import { useDeviceScreen } from './screen.ts';
import type { Edited } from './use-device.ts';

/** @param first has the focus */
export default function EditDialog({ first, onClose }: { first: TextField; onClose: () => void }) {
  const { device } = useDeviceScreen();
  const [values, setValues] = useState(() => textsOf(device));
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const input = form.current?.querySelector<HTMLInputElement>(`[data-field="${first}"] :is(input, textarea)`);
    input?.focus();
    input?.select();
  }, [first]);
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
    <div key={field} data-field={field}>
      <FieldInput
        field={field}
        value={values[field]}
        error={problem?.fields.find(({ path }) => path === field)?.message}
        hint={
          conflict?.conflicts.includes(field) && <Theirs value={read[field]} onTake={() => set(field, read[field])} />
        }
        onChange={(value) => set(field, value)}
      />
    </div>
  );
  return (
    <Dialog title={texts.editTitle} onClose={onClose} isWide>
      <form ref={form} className="grid gap-4" onSubmit={submit}>
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
      <span data-foreign>{value === '' ? texts.nowEmpty : texts.nowIs({ value })}</span>
      <Button onClick={onTake}>{texts.takeIt}</Button>
    </span>
  );
}

function useEditing(onSaved: () => void) {
  const { device, editor } = useDeviceScreen();
  /** The device as the form has it: when it was opened, or when a conflict was shown. */
  const [read, setRead] = useState(device);
  const [conflict, setConflict] = useState<Edited | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);

  async function save(edit: DeviceEdit, onConflict: (now: OneDevice) => void): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      const edited = await editor.edit(read, edit);
      if (edited.conflicts.length === 0) return onSaved();
      onConflict(edited.device);
      setRead(edited.device);
      setConflict(edited);
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  }
  return { read, conflict, problem, isBusy, save };
}

interface InputProps {
  field: TextField;
  value: string;
  error: string | undefined;
  hint?: ReactNode;
  onChange: (value: string) => void;
}

function FieldInput({ field, onChange, ...rest }: InputProps) {
  const { site } = useDeviceScreen();
  const when = field === 'devType' || field === 'devGroup';
  const { data: facets } = useAnswer('GET /devices/facets', { site }, { everyMs: 0, when });
  const about = { label: fieldLabels[field], ...rest };
  const input = { ...about, onChange: ({ target }: { target: { value: string } }) => onChange(target.value) };
  const proposals = (values: readonly string[]) => ({ ...about, onChange, suggestions: fitting(values, rest.value) });
  switch (field) {
    case 'devType':
      return <Combobox {...proposals(proposedTypes(facets?.type))} />;
    case 'devGroup':
      return <Combobox {...proposals(valuesInUse(facets?.group))} />;
    case 'devParentMAC':
      return <DeviceField site={site} {...input} hint={rest.hint || texts.parentHint} />;
    case 'devComments':
      return <TextArea {...input} />;
    default:
      return <TextInput {...input} />;
  }
}

/** The values that contain the text; all of them while it is one, so that another can be chosen. */
function fitting(values: readonly string[], typed: string): { value: string }[] {
  const text = typed.trim().toLowerCase();
  const isOne = values.some((value) => value.toLowerCase() === text);
  return values.filter((value) => isOne || value.toLowerCase().includes(text)).map((value) => ({ value }));
}
