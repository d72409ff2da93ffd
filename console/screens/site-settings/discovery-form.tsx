/** Whether the agents look for devices, where, and how often. */
import { type FormEvent, useState } from 'react';
import type { DiscoverySettings } from '../../../shared/agent/discovery.ts';
import { problemOf } from '../../api/problem.ts';
import { useChange } from '../../api/queries.ts';
import { CheckField, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { ProblemBox } from '../../ui/state.tsx';
import { showToast } from '../../ui/toast.tsx';
import { type DiscoveryDraft, draftOf, problemsByField, settingsOf } from './discovery-draft.ts';
import { FormActions } from './form-actions.tsx';
import styles from './site-settings.module.css';
import { texts } from './texts.ts';

interface Props {
  site: string;
  discovery: DiscoverySettings;
  isReadOnly: boolean;
}

export function DiscoveryForm({ site, discovery, isReadOnly }: Props) {
  const change = useChange('PATCH /sites/{site}');
  /** Null: nothing is being changed, and what is stored is shown. */
  const [draft, setDraft] = useState<DiscoveryDraft | null>(null);
  const shown = draft ?? draftOf(discovery);
  const set = (changed: Partial<DiscoveryDraft>) => setDraft({ ...shown, ...changed });

  function reset(): void {
    setDraft(null);
    change.reset();
  }

  function save(event: FormEvent): void {
    event.preventDefault();
    change.mutate(
      { params: { site }, body: { discovery: settingsOf(shown) } },
      {
        onSuccess: () => {
          reset();
          showToast(texts.saved);
        },
      },
    );
  }

  if (isReadOnly) return <ReadOnly discovery={discovery} />;
  const problems = problemsByField(change.error === null ? [] : problemOf(change.error).fields);
  const isElsewhere =
    change.error !== null && problems.networks === undefined && problems.intervalSeconds === undefined;
  return (
    <form className={styles.form} onSubmit={save} noValidate>
      <CheckField
        label={texts.enabled}
        checked={shown.isEnabled}
        onChange={({ target }) => set({ isEnabled: target.checked })}
      />
      <SelectField
        label={texts.networks}
        value={shown.isAuto ? 'auto' : 'listed'}
        onChange={({ target }) => set({ isAuto: target.value === 'auto' })}
      >
        <option value="auto">{texts.auto}</option>
        <option value="listed">{texts.listed}</option>
      </SelectField>
      {shown.isAuto ? null : (
        <TextArea
          label={texts.list}
          hint={texts.listHint}
          error={problems.networks}
          spellCheck={false}
          value={shown.networks}
          onChange={({ target }) => set({ networks: target.value })}
        />
      )}
      <TextField
        label={texts.interval}
        hint={texts.intervalHint}
        error={problems.intervalSeconds}
        inputMode="numeric"
        value={shown.interval}
        onChange={({ target }) => set({ interval: target.value })}
      />
      {isElsewhere ? <ProblemBox error={change.error} /> : null}
      {draft === null ? null : <FormActions isBusy={change.isPending} onReset={reset} />}
    </form>
  );
}

function ReadOnly({ discovery: { enabled, networks, intervalSeconds } }: Pick<Props, 'discovery'>) {
  return (
    <dl className={styles.facts}>
      <dt>{texts.enabled}</dt>
      <dd>{enabled ? texts.on : texts.off}</dd>
      <dt>{texts.networks}</dt>
      <dd>{networks === 'auto' ? texts.auto : networks.join(', ')}</dd>
      <dt>{texts.interval}</dt>
      <dd>{intervalSeconds}</dd>
    </dl>
  );
}
