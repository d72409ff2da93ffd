/** Lets hosts in that have asked: where they become agents, and what one of them is called. */
import { type Claim, claims as operations } from '../../../shared/api/claims.ts';
import { ask } from '../../api/client.ts';
import { useKnownSites } from '../../api/known-sites.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog, useForm } from '../../ui/form.tsx';
import { showToast } from '../../ui/toast.tsx';
import { texts } from './texts.ts';

export function LetInDialog({ claims, onClose }: { claims: readonly Claim[]; onClose: () => void }) {
  const { sites } = useKnownSites();
  const [only] = claims.length === 1 ? claims : [];
  const form = useForm({
    first: { site: '', name: '' },
    schema: operations.approveClaims.body,
    says: { name: texts.nameWrong },
    body: ({ site, name }) => ({
      ids: claims.map(({ id }) => id),
      ...(site === '' ? {} : { site }),
      ...(name.trim() === '' ? {} : { name: name.trim() }),
    }),
    send: (body) => ask('POST /claims/approve', { body }),
    onDone: ({ claims: done, failed }) => {
      showToast([texts.isIn(done.length), ...failed.map(({ message }) => message)].slice(0, 4).join(' '));
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={texts.letInTitle(claims.length)}
      submit={texts.letIn(claims.length)}
      onClose={onClose}
    >
      <p data-foreign className="wrap">
        {claims.map(({ host }) => host.name).join(', ')}
      </p>
      <p className="muted">{texts.letInWhat}</p>
      <SelectField label={texts.where} {...form.text('site')}>
        <option value="">{texts.asKeySays}</option>
        {sites.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      {only === undefined ? null : (
        <TextField
          label={texts.agentName}
          hint={texts.agentNameHint}
          autoCapitalize="none"
          maxLength={32}
          {...form.text('name')}
        />
      )}
    </FormDialog>
  );
}
