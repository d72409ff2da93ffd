/** The name of a site, which can be changed in place. */
import { type FormEvent, useState } from 'react';
import { problemOf } from '../../api/problem.ts';
import { useChange } from '../../api/queries.ts';
import { TextField } from '../../ui/field.tsx';
import { showToast } from '../../ui/toast.tsx';
import { FormActions } from './form-actions.tsx';
import styles from './site-settings.module.css';
import { texts } from './texts.ts';

export function NameForm({ site, name, isReadOnly }: { site: string; name: string; isReadOnly: boolean }) {
  const change = useChange('PATCH /sites/{site}');
  /** Null: nothing is being changed, and what is stored is shown. */
  const [draft, setDraft] = useState<string | null>(null);

  function reset(): void {
    setDraft(null);
    change.reset();
  }

  function save(event: FormEvent): void {
    event.preventDefault();
    if (draft === null) return;
    change.mutate(
      { params: { site }, body: { name: draft.trim() } },
      {
        onSuccess: () => {
          reset();
          showToast(texts.saved);
        },
      },
    );
  }

  if (isReadOnly) return <p data-foreign>{name}</p>;
  return (
    <form className={styles.form} onSubmit={save} noValidate>
      <TextField
        label={texts.name}
        isLabelHidden
        maxLength={100}
        error={change.error === null ? null : messageOf(change.error)}
        value={draft ?? name}
        onChange={({ target }) => setDraft(target.value)}
      />
      {draft === null || draft === name ? null : <FormActions isBusy={change.isPending} onReset={reset} />}
    </form>
  );
}

function messageOf(error: Error): string {
  const problem = problemOf(error);
  return problem.fields[0]?.message ?? problem.message;
}
