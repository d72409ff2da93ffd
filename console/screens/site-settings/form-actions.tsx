/** The buttons of a form with changes that have not been saved. */
import { common } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import styles from './site-settings.module.css';

export function FormActions({ isBusy, onReset }: { isBusy: boolean; onReset: () => void }) {
  return (
    <div className={styles.actions}>
      <Button type="submit" look="primary" disabled={isBusy}>
        {common.save}
      </Button>
      <Button onClick={onReset} disabled={isBusy}>
        {common.cancel}
      </Button>
    </div>
  );
}
