/** Revokes a token, and lists its commands that still run; or gives it a new secret, and the old one an end. */
import common from 'messages:common';
import texts from 'messages:tokens';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Token } from '../../../shared/api/records.ts';
import { type AnswerOf, ask } from '../../api/client.ts';
import { signOut } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { FormDialog, useForm } from '../../ui/form.tsx';
import { Options } from '../../ui/options.tsx';
import { showToast } from '../../ui/toast.tsx';
import type { MadeToken } from './token-form.tsx';

interface Props {
  token: Token;
  onClose: () => void;
}

type Revocation = AnswerOf<'DELETE /tokens/{id}'>;

/** @param isOwn whether it is the token of this session */
export function RevokeDialog({ token: { id, name }, isOwn, onClose }: Props & { isOwn: boolean }) {
  const [revoked, setRevoked] = useState<Revocation | null>(null);
  function onDone(answer: Revocation): void {
    if (isOwn) signOut('refused');
    else if (answer.running.length > 0 || answer.truncated) setRevoked(answer);
    else {
      showToast(texts.revoked({ name }));
      onClose();
    }
  }
  if (revoked !== null) return <Revoked name={name} {...revoked} onClose={onClose} />;
  return (
    <ConfirmDialog
      title={texts.revokeTitle}
      submit={texts.revoke}
      send={() => ask('DELETE /tokens/{id}', { params: { id } })}
      onDone={onDone}
      onClose={onClose}
    >
      <p data-foreign className="wrap-anywhere">
        {texts.revokeWhat({ name })}
      </p>
      {isOwn ? (
        <p role="alert" className="note">
          {texts.revokeOwn}
        </p>
      ) : null}
    </ConfirmDialog>
  );
}

function Revoked({ name, running, truncated, onClose }: Revocation & { name: string; onClose: () => void }) {
  return (
    <Dialog title={texts.revoked({ name })} onClose={onClose}>
      <p>{texts.goesOn({ count: running.length })}</p>
      <ul className="grid gap-1 mt-2 wrap-anywhere">
        {running.map((job) => (
          <li key={job}>
            <Link href={`/sites/${job.slice(0, job.indexOf('.'))}/runs/${job}`}>{job}</Link>
          </li>
        ))}
      </ul>
      {truncated ? <p>{texts.goesOnMore}</p> : null}
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          {common.close}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

type Overlap = keyof typeof texts.overlaps;

export function RotateDialog({ token: { id, name }, onMade, onClose }: Props & { onMade: (made: MadeToken) => void }) {
  const form = useForm({
    route: 'POST /tokens/{id}/rotate',
    question: { params: { id } },
    first: { overlapHours: '0' as Overlap },
    body: ({ overlapHours }) => ({ overlapHours: Number(overlapHours) }),
    onDone: onMade,
  });
  return (
    <FormDialog form={form} title={texts.rotateTitle({ name })} submit={texts.rotateSubmit} onClose={onClose}>
      <p>{texts.rotateWhat}</p>
      <SelectField label={texts.overlap} {...form.text('overlapHours')}>
        <Options of={texts.overlaps} />
      </SelectField>
    </FormDialog>
  );
}
