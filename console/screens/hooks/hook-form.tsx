/** Where a hook sends, in which form, and of which events. */
import { type FormEvent, useState } from 'react';
import type { EventType } from '../../../shared/api/events.ts';
import type { Hook, HookFormat } from '../../../shared/api/hooks.ts';
import { useChange } from '../../api/queries.ts';
import { common } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { CheckGroup } from '../../ui/check-group.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { ProblemBox } from '../../ui/state.tsx';
import {
  bodyOf,
  changeOf,
  type DraftErrors,
  draftOf,
  EVENTS,
  errorsOf,
  FORMATS,
  type HookDraft,
  newDraft,
} from './hook-draft.ts';
import styles from './hooks.module.css';
import { texts } from './texts.ts';

export function AddHook({
  site,
  onAdded,
  onClose,
}: {
  site: string;
  /** @param secret null when deliveries of this form are not signed */
  onAdded: (secret: string | null) => void;
  onClose: () => void;
}) {
  const { mutate, isPending, error } = useChange('POST /hooks');
  return (
    <HookForm
      title={texts.add}
      submit={texts.add}
      first={newDraft()}
      isNew
      {...{ isPending, error, onClose }}
      onSubmit={(draft) =>
        mutate(
          { site, body: bodyOf(draft) },
          { onSuccess: ({ format, secret }) => onAdded(format === 'json' ? secret : null) },
        )
      }
    />
  );
}

export function EditHook({ site, hook, onClose }: { site: string; hook: Hook; onClose: () => void }) {
  const { mutate, isPending, error } = useChange('PATCH /hooks/{hook}');
  return (
    <HookForm
      title={texts.editTitle}
      submit={common.save}
      first={draftOf(hook)}
      isNew={false}
      {...{ isPending, error, onClose }}
      onSubmit={(draft) => {
        const body = changeOf(draft, hook);
        if (body === null) onClose();
        else mutate({ site, params: { hook: hook.id }, body }, { onSuccess: onClose });
      }}
    />
  );
}

interface FormProps {
  title: string;
  submit: string;
  first: HookDraft;
  isNew: boolean;
  isPending: boolean;
  error: Error | null;
  onSubmit: (draft: HookDraft) => void;
  onClose: () => void;
}

function HookForm({ title, submit, first, isNew, isPending, error, onSubmit, onClose }: FormProps) {
  const [draft, setDraft] = useState(first);
  const [isTried, setTried] = useState(false);
  const errors: DraftErrors = isTried ? errorsOf(draft, isNew) : {};
  const change = (part: Partial<HookDraft>) => setDraft({ ...draft, ...part });

  function onFormSubmit(event: FormEvent): void {
    event.preventDefault();
    setTried(true);
    if (Object.keys(errorsOf(draft, isNew)).length === 0) onSubmit(draft);
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <form className={styles.form} onSubmit={onFormSubmit} noValidate>
        <TextField
          label={texts.url}
          type="url"
          hint={isNew ? texts.urlHint : `${texts.urlKeep} ${texts.urlHint}`}
          error={errors.url}
          autoFocus
          value={draft.url}
          onChange={({ target }) => change({ url: target.value })}
        />
        <SelectField
          label={texts.format}
          hint={texts.formatHint}
          value={draft.format}
          onChange={({ target }) => change({ format: target.value as HookFormat })}
        >
          {FORMATS.map((format) => (
            <option key={format} value={format}>
              {texts.formats[format]}
            </option>
          ))}
        </SelectField>
        <CheckGroup label={texts.eventsLabel} hint={texts.flapping} error={errors.events}>
          <div className={styles.boxes}>
            {EVENTS.map((type) => (
              <CheckField
                key={type}
                label={texts.eventTypes[type]}
                checked={draft.events.includes(type)}
                onChange={({ target }) => change({ events: toggled(draft.events, type, target.checked) })}
              />
            ))}
          </div>
        </CheckGroup>
        {draft.events.includes('new') ? (
          <CheckField
            label={texts.skipRandomMacs}
            checked={draft.skipRandomMacs}
            onChange={({ target }) => change({ skipRandomMacs: target.checked })}
          />
        ) : null}
        {isNew ? (
          <CheckField
            label={texts.addOn}
            checked={draft.enabled}
            onChange={({ target }) => change({ enabled: target.checked })}
          />
        ) : null}
        {error === null ? null : <ProblemBox error={error} />}
        <DialogActions>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" look="primary" disabled={isPending}>
            {submit}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function toggled(all: readonly EventType[], one: EventType, isOn: boolean): EventType[] {
  const others = all.filter((other) => other !== one);
  return isOn ? [...others, one] : others;
}
