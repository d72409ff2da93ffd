/** A token that was just made: the only time at which its secret is shown. */
import { useState } from 'react';
import { addressesToOffer } from '../../api/base-address.ts';
import { BASE_URL } from '../../api/session.ts';
import { AddressChoice } from '../../ui/address-choice.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy-line.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { texts } from './texts.ts';
import type { MadeToken } from './token-form.tsx';
import styles from './tokens.module.css';

export function MadeDialog({ made: { name, token, addresses }, onClose }: { made: MadeToken; onClose: () => void }) {
  const offered = addressesToOffer(BASE_URL, addresses);
  const [address, setAddress] = useState<string>(offered[0]);
  return (
    <Dialog title={texts.madeTitle(name)} onClose={onClose}>
      <p role="status">
        <strong>{texts.madeOnce}</strong>
      </p>
      <Given title={texts.theToken} text={token} />
      <AddressChoice addresses={offered} value={address} onChange={setAddress} />
      <Given
        title={texts.signInLink}
        text={`${address}/console/#${new URLSearchParams({ token })}`}
        how={texts.signInLinkHow}
      />
      <Given title={texts.commandLine} text={`npx lanreach login --url ${address}`} how={texts.commandLineHow} />
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          {texts.done}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function Given({ title, text, how }: { title: string; text: string; how?: string }) {
  return (
    <div className={styles.given}>
      <h3>{title}</h3>
      <CopyLine label={title} text={text} />
      {how === undefined ? null : <p className="muted">{how}</p>}
    </div>
  );
}
