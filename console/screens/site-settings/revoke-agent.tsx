/** Asks before an agent is revoked. */
import { useChange } from '../../api/queries.ts';
import { common } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ProblemBox } from '../../ui/state.tsx';
import { showToast } from '../../ui/toast.tsx';
import { texts } from './texts.ts';

interface Props {
  site: string;
  name: string;
  isLast: boolean;
  onClose: () => void;
}

export function RevokeAgent({ site, name, isLast, onClose }: Props) {
  const revoke = useChange('DELETE /sites/{site}/agents/{name}');

  function confirm(): void {
    revoke.mutate(
      { params: { site, name } },
      {
        onSuccess: () => {
          showToast(texts.revoked(name));
          onClose();
        },
      },
    );
  }

  return (
    <Dialog title={texts.revokeTitle(name)} onClose={onClose}>
      <p>{texts.revokeWhat}</p>
      {isLast ? <p>{texts.revokeLast}</p> : null}
      {revoke.error === null ? null : <ProblemBox error={revoke.error} />}
      <DialogActions>
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button look="danger" onClick={confirm} disabled={revoke.isPending}>
          {texts.revoke}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
