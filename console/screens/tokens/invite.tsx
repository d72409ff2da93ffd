/** The button and the dialogs that make a token: for a person, as a link to sign in; or for a program. */
import texts from 'messages:tokens';
import { KeyRound, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { MadeDialog } from './made-dialog.tsx';
import { offeredRoles } from './roles.ts';
import { type MadeToken, TokenForm, type TokenKind } from './token-form.tsx';

export function MakeToken({ kind, isPrimary = false }: { kind: TokenKind; isPrimary?: boolean }) {
  const { data: maker } = useAnswer('GET /tokens/self', {}, { everyMs: POLL_MS.calm });
  const [shown, show] = useState<'form' | MadeToken | null>(null);
  const close = () => show(null);
  if (maker === undefined || (kind === 'person' && offeredRoles(maker).length === 0)) return null;
  const Icon = kind === 'person' ? UserPlus : KeyRound;
  return (
    <>
      <Button look={isPrimary ? 'primary' : 'plain'} onClick={() => show('form')} icon={<Icon />}>
        {kind === 'person' ? texts.invite : texts.make}
      </Button>
      {shown === 'form' ? <TokenForm kind={kind} maker={maker} onMade={show} onClose={close} /> : null}
      {shown === null || shown === 'form' ? null : <MadeDialog made={shown} kind={kind} onClose={close} />}
    </>
  );
}
