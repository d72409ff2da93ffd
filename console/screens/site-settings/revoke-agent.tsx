/** Asks before an agent is revoked. */
import { useChange } from '../../api/queries.ts';
import { texts } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ProblemBox } from '../../ui/state.tsx';
import { showToast } from '../../ui/toast.tsx';

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
          showToast(texts.siteSettings.revoked(name));
          onClose();
        },
      },
    );
  }

  return (
    <Dialog title={texts.siteSettings.revokeTitle(name)} onClose={onClose}>
      <p>{texts.siteSettings.revokeWhat}</p>
      {isLast ? <p>{texts.siteSettings.revokeLast}</p> : null}
      {revoke.error === null ? null : <ProblemBox error={revoke.error} />}
      <DialogActions>
        <Button onClick={onClose}>{texts.common.cancel}</Button>
        <Button look="danger" onClick={confirm} disabled={revoke.isPending}>
          {texts.siteSettings.revoke}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
