/** Confirms that a link may replace the session of this tab. */
import texts from 'messages:signIn';
import { answerOffer } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';

export default function ReplaceSession() {
  const stay = () => answerOffer(false);
  return (
    <Dialog title={texts.replaceTitle} onClose={stay}>
      <p>{texts.replaceWhat}</p>
      <DialogActions>
        <Button onClick={() => answerOffer(true)}>{texts.replace}</Button>
        <Button look="primary" onClick={stay}>
          {texts.stay}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
