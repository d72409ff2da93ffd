/** Edits texts of the device without overwriting what another person has set meanwhile. */
import texts from 'messages:device';
import fieldLabels from 'messages:deviceFields';
import { type ReactNode, useState } from 'react';
import type { DeviceEdit } from '../../../shared/api/device-edits.ts';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { type Problem, problemOf } from '../../api/problem.ts';
import { useAnswer } from '../../api/queries.ts';
import { proposedTypes, valuesInUse } from '../../text/proposed-values.ts';
import { Combobox } from '../../ui/combobox.tsx';
import { DeviceField } from '../../ui/device-field.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import type { TextField as Field } from './merge-edit.ts';
import { useDeviceScreen } from './screen.ts';
import type { Edited } from './use-device.ts';

export function useEditing(onSaved: () => void) {
  const { device, editor } = useDeviceScreen();
  /** The device as the form has it: when it was opened, or when a conflict was shown. */
  const [read, setRead] = useState(device);
  const [conflict, setConflict] = useState<Edited | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);

  async function save(edit: DeviceEdit, onConflict?: (now: OneDevice) => void): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      const edited = await editor.edit(read, edit);
      if (edited.conflicts.length === 0) return onSaved();
      onConflict?.(edited.device);
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

/** The value of a field after another person has changed it. */
export function nowIs(value: string): string {
  return value === '' ? texts.nowEmpty : texts.nowIs({ value });
}

interface Props {
  field: Field;
  value: string;
  error: string | undefined;
  hint?: ReactNode;
  isLabelHidden?: boolean;
  onChange: (value: string) => void;
}

export function FieldInput({ field, onChange, ...rest }: Props) {
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
      return <TextField {...input} />;
  }
}

/** The values that contain the text; all of them while it is one, so that another can be chosen. */
function fitting(values: readonly string[], typed: string): { value: string }[] {
  const text = typed.trim().toLowerCase();
  const isOne = values.some((value) => value.toLowerCase() === text);
  return values.filter((value) => isOne || value.toLowerCase().includes(text)).map((value) => ({ value }));
}
