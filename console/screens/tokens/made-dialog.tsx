/** The secret of a new token, shown this once. */
import texts from 'messages:tokens';
import { lazy, Suspense, useState } from 'react';
import { addressesToOffer, isLoopback } from '../../api/base-address.ts';
import { BASE_URL } from '../../api/session.ts';
import { AddressChoice } from '../../ui/address-choice.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy-line.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import type { MadeToken, TokenKind } from './token-form.tsx';

const QrCode = lazy(() => import('./qr-code.tsx'));

interface Props {
  made: MadeToken;
  /** `rotated`: an older token with a new secret. */
  kind: TokenKind | 'rotated';
  onClose: () => void;
}

export function MadeDialog({ made: { name, token, addresses }, kind, onClose }: Props) {
  const isInvitation = kind === 'person';
  const title = { person: texts.invitedTitle, program: texts.madeTitle, rotated: texts.rotatedTitle }[kind];
  const offered = addressesToOffer(BASE_URL, addresses);
  const [address, setAddress] = useState<string>(offered[0]);
  const link = `${address}/console/#${new URLSearchParams({ token })}`;
  const signIn = (
    <div className="grid gap-1 min-w-0">
      <h3>{texts.signInLink}</h3>
      <CopyLine label={texts.signInLink} text={link} />
      <p className="text-muted">{texts.signInLinkHow}</p>
      {isLoopback(address) ? (
        <p className="text-muted">{texts.qrLoopback}</p>
      ) : (
        <div className="flex flex-wrap items-center gap-y-2 gap-x-4 mt-2 [&_p]:flex-[1_1_14ch] [&_p]:text-muted">
          <Suspense fallback={<div className="size-42 rounded-control [&_rect]:fill-[white] [&_path]:fill-[black]" />}>
            <QrCode text={link} label={texts.qr} />
          </Suspense>
          <p>{texts.qrHow}</p>
        </div>
      )}
    </div>
  );
  const programs = (
    <>
      <Given title={texts.theToken} text={token} />
      <Given
        title={texts.commandLine}
        text={`npx lanreach login --with-token --url ${address}`}
        how={texts.commandLineHow}
      />
    </>
  );
  return (
    <Dialog title={title({ name })} onClose={onClose}>
      <p role="status">
        <strong>{isInvitation ? texts.invitedOnce : texts.madeOnce}</strong>
      </p>
      <AddressChoice addresses={offered} value={address} onChange={setAddress} />
      {isInvitation ? (
        <>
          {signIn}
          <details className="grid gap-3 [&_summary]:w-fit [&_summary]:py-1 [&_summary]:text-muted [&_summary]:cursor-pointer [&>div]:mt-2">
            <summary>{texts.otherWays}</summary>
            {programs}
          </details>
        </>
      ) : (
        <>
          {programs}
          {signIn}
        </>
      )}
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          {isInvitation ? texts.doneInviting : texts.done}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function Given({ title, text, how }: { title: string; text: string; how?: string }) {
  return (
    <div className="grid gap-1 min-w-0">
      <h3>{title}</h3>
      <CopyLine label={title} text={text} />
      {how === undefined ? null : <p className="text-muted">{how}</p>}
    </div>
  );
}
