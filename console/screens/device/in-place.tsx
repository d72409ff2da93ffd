/** A text of the device, edited where it stands. What somebody else has set meanwhile is shown, and not overwritten. */
import common from 'messages:common';
import texts from 'messages:device';
import fieldLabels from 'messages:deviceFields';
import { type FormEvent, type RefCallback, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { type Problem, problemOf } from '../../api/problem.ts';
import { useAnswer } from '../../api/queries.ts';
import { proposedTypes, valuesInUse } from '../../text/proposed-values.ts';
import { Button } from '../../ui/button.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { DeviceField } from '../../ui/device-field.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { fitting } from './fitting.ts';
import type { TextField as Field } from './merge-edit.ts';
import { nowIs } from './now-is.ts';
import { useDeviceEditor } from './use-device.ts';

interface Props {
  site: string;
  device: OneDevice;
  field: Field;
  onEnd: () => void;
}

export function InPlace({ site, device, field, onEnd }: Props) {
  /** The device as it was when the form was opened, or when a conflict was shown. */
  const [read, setRead] = useState(device);
  const [value, setValue] = useState(device[field]);
  const [hasConflict, setConflict] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const editor = useDeviceEditor(site, device.key);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (value === read[field] && !hasConflict) return onEnd();
    setBusy(true);
    try {
      const { device: latest, conflicts } = await editor.edit(read, { [field]: value });
      if (conflicts.length === 0) return onEnd();
      setRead(latest);
      setConflict(true);
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <form
      className="grid gap-2 min-w-0"
      onSubmit={(event) => void submit(event)}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onEnd();
      }}
    >
      <Input
        site={site}
        field={field}
        value={value}
        error={problem?.fields.find(({ path }) => path === field)?.message ?? problem?.message}
        onChange={({ target }) => setValue(target.value)}
      />
      {hasConflict ? (
        <p className="px-2 py-1.5 rounded-control bg-warn-soft text-sm wrap-anywhere" role="alert" data-foreign>
          {texts.conflict({ fields: fieldLabels[field] })} {nowIs(read[field])}
        </p>
      ) : null}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" disabled={isBusy}>
          {common.save}
        </Button>
        <Button onClick={onEnd}>{common.cancel}</Button>
      </div>
    </form>
  );
}

interface InputProps {
  site: string;
  field: Field;
  value: string;
  error: string | undefined;
  onChange: (event: { target: { value: string } }) => void;
}

function Input({ site, field, ...rest }: InputProps) {
  const { data: facets } = useAnswer(
    'GET /devices/facets',
    { site },
    { everyMs: 0, when: field === 'devType' || field === 'devGroup' },
  );
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const input = form.current?.querySelector<HTMLInputElement>('input, textarea');
    input?.focus();
    input?.select();
  }, []);
  const about = { label: fieldLabels[field], isLabelHidden: true, ...rest };
  const onText = (value: string) => rest.onChange({ target: { value } });
  const input = () => {
    switch (field) {
      case 'devType':
        return <Combobox {...about} onChange={onText} suggestions={fitting(proposedTypes(facets?.type), rest.value)} />;
      case 'devGroup':
        return <Combobox {...about} onChange={onText} suggestions={fitting(valuesInUse(facets?.group), rest.value)} />;
      case 'devParentMAC':
        return <DeviceField site={site} {...about} hint={texts.parentHint} />;
      case 'devComments':
        return <TextArea {...about} />;
      default:
        return <TextField {...about} />;
    }
  };
  return <div ref={form}>{input()}</div>;
}

/**
 * The focus of whoever edits, for the button that opens the form: it has it again when the form is closed, and so has the
 * button that stands in its place once there is a value.
 */
export function useReturnOfFocus(isOpen: boolean): RefCallback<HTMLButtonElement> {
  const opener = useRef<HTMLButtonElement>(null);
  const isOwed = useRef(false);
  useLayoutEffect(() => {
    if (isOpen) isOwed.current = true;
  }, [isOpen]);
  return useCallback((button) => {
    // It is still there when its reference goes.
    if (button === null) isOwed.current = document.activeElement === opener.current;
    else if (isOwed.current) button.focus();
    opener.current = button;
  }, []);
}
