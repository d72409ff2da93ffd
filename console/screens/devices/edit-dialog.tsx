/** Edits the same fields of many devices. Fields that are not ticked stay unchanged. */
import common from 'messages:common';
import fieldLabels from 'messages:deviceFields';
import texts from 'messages:devices';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ask } from '../../api/client.ts';
import { numberText } from '../../text/format.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { ProblemBox } from '../../ui/state.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import type { Edit } from './device.ts';
import type { EditOutcome } from './device-changes.ts';
import styles from './dialogs.module.css';
import { useScreen } from './screen.ts';

const OUTCOME = 'min-h-[1.5em] mt-3.5 text-muted';

const TEXTS = [
  ...(['devType', 'devModel', 'devGroup', 'devLocation', 'devOwner'] as const),
  ...(['devParentMAC', 'devParentPort', 'devComments'] as const),
];
const FLAGS = ['devAlertDown', 'devFavorite', 'devIsArchived', 'devIsNew'] as const;
/** For more devices, a rehearsal would take many requests. */
const MAX_REHEARSED = 1_000;

interface Props {
  keys: readonly string[];
  /** Called also after the dialog was closed, with the devices that were edited until then. */
  onDone: (outcome: EditOutcome) => void;
  onClose: () => void;
}

export default function EditDialog({ keys: all, onDone, onClose }: Props) {
  const { actions } = useScreen();
  const [set, setFields] = useState<Edit>({});
  const [keys, setKeys] = useState(all);
  const [done, setDone] = useState<number | null>(null);
  const [failed, setFailed] = useState<EditOutcome | null>(null);
  const running = useRef<AbortController>(null);
  // Closing the dialog stops the edit.
  useEffect(() => () => running.current?.abort(), []);
  const isEmpty = Object.keys(set).length === 0;

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setFailed(null);
    setDone(0);
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    const outcome = await actions.edit(keys, set, { onProgress: setDone, signal });
    setDone(null);
    if (outcome.problem === null || signal.aborted) return onDone(outcome);
    // Another attempt edits only the rest.
    setKeys(outcome.left);
    setFailed(outcome);
  }

  return (
    <Dialog title={texts.editTitle({ count: all.length })} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <p className="mb-3 text-muted">{texts.editHint}</p>
        <div className="grid gap-2.5">
          {TEXTS.map((field) => (
            <TextSetting key={field} field={field} set={set} onChange={setFields} />
          ))}
          <div className="grid grid-cols-[repeat(auto-fill,minmax(200px,1fr))] gap-y-2.5 gap-x-4">
            {FLAGS.map((field) => (
              <SelectField
                key={field}
                label={fieldLabels[field]}
                value={set[field] ?? ''}
                onChange={({ target: { value } }) => {
                  const { [field]: _, ...others } = set;
                  setFields(value === '' ? others : { ...set, [field]: value === '1' ? 1 : 0 });
                }}
              >
                <option value="">{texts.asItIs}</option>
                <option value="1">{texts.yes}</option>
                <option value="0">{texts.no}</option>
              </SelectField>
            ))}
          </div>
        </div>
        {isEmpty ? <p className={OUTCOME} /> : <Rehearsal keys={keys} set={set} />}
        {failed === null ? null : (
          <>
            <p role="status">{texts.editedPartly({ done: failed.updated, left: failed.left.length })}</p>
            <ProblemBox error={failed.problem} />
          </>
        )}
        <DialogActions>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" look="primary" disabled={isEmpty || done !== null}>
            {done === null ? texts.editNow({ count: keys.length }) : texts.editing({ done, count: keys.length })}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface SettingProps {
  field: (typeof TEXTS)[number];
  set: Edit;
  onChange: (set: Edit) => void;
}

/** The tick distinguishes a value that becomes empty from one that stays. */
function TextSetting({ field, set, onChange }: SettingProps) {
  const [text, setText] = useState('');
  const label = fieldLabels[field];
  return (
    <div className={styles.pair}>
      <CheckField
        label={label}
        checked={set[field] !== undefined}
        onChange={({ target }) => {
          const { [field]: _, ...others } = set;
          onChange(target.checked ? { ...set, [field]: text } : others);
        }}
      />
      <TextField
        label={texts.newValue({ field: label })}
        isLabelHidden
        maxLength={4_000}
        list={field === 'devType' || field === 'devGroup' || field === 'devParentMAC' ? `devices-${field}` : undefined}
        placeholder={set[field] === undefined ? texts.asItIs : texts.emptied}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          onChange({ ...set, [field]: target.value });
        }}
      />
    </div>
  );
}

/** The result that the API predicts. */
function Rehearsal({ keys, set: latest }: { keys: readonly string[]; set: Edit }) {
  const { site } = useScreen();
  const set = useSettled(latest, 300);
  const { data, error } = useQuery({
    queryKey: ['PATCH /devices', 'rehearsal', keys, set],
    queryFn: ({ signal }) =>
      ask('PATCH /devices', { site, query: { dryRun: 'true' }, body: { devices: [...keys], set }, signal }),
    enabled: keys.length <= MAX_REHEARSED,
    retry: false,
    gcTime: 0,
  });
  if (error !== null) return <ProblemBox error={error} />;
  return (
    <p className={OUTCOME} role="status">
      {keys.length > MAX_REHEARSED
        ? texts.editInParts({ count: numberText(keys.length) })
        : data === undefined
          ? ''
          : texts.editWould({ updated: data.updated, unchanged: data.unchanged })}
    </p>
  );
}
