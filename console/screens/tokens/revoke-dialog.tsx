/** Asks before a token is revoked, and says afterwards which of its commands go on. */
import common from 'messages:common';
import texts from 'messages:tokens';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Token } from '../../../shared/api/records.ts';
import { type AnswerOf, ask } from '../../api/client.ts';
import { signOut } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { FormDialog, useConfirmation } from '../../ui/form.tsx';
import { showToast } from '../../ui/toast.tsx';

interface Props {
  token: Token;
  /** Whether it is the token of this session. */
  isOwn: boolean;
  onClose: () => void;
}

type Revocation = AnswerOf<'DELETE /tokens/{id}'>;

export function RevokeDialog({ token: { id, name }, isOwn, onClose }: Props) {
  const [revoked, setRevoked] = useState<Revocation | null>(null);
  const form = useConfirmation({
    send: () => ask('DELETE /tokens/{id}', { params: { id } }),
    onDone(answer) {
      if (isOwn) return signOut('refused');
      if (answer.running.length > 0 || answer.truncated) return setRevoked(answer);
      showToast(texts.revoked({ name }));
      onClose();
    },
  });
  if (revoked !== null) return <Revoked name={name} {...revoked} onClose={onClose} />;
  return (
    <FormDialog form={form} title={texts.revokeTitle} submit={texts.revoke} look="danger" onClose={onClose}>
      <p data-foreign className="wrap-anywhere">
        {texts.revokeWhat({ name })}
      </p>
      {isOwn ? (
        <p role="alert" className="note">
          {texts.revokeOwn}
        </p>
      ) : null}
    </FormDialog>
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
