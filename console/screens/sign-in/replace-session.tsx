/** Asks whether a link may end the session of this tab and begin another one. */
import { answerOffer } from '../../api/session.ts';
import { texts } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';

export default function ReplaceSession() {
  const stay = () => answerOffer(false);
  return (
    <Dialog title={texts.signIn.replaceTitle} onClose={stay}>
      <p>{texts.signIn.replaceWhat}</p>
      <DialogActions>
        <Button onClick={() => answerOffer(true)}>{texts.signIn.replace}</Button>
        <Button look="primary" onClick={stay}>
          {texts.signIn.stay}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
