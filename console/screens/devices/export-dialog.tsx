/** Saves the devices as a CSV file. */
import { Download } from 'lucide-react';
import { useState } from 'react';
import { download } from '../../api/client.ts';
import { texts } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { showProblem } from '../../ui/toast.tsx';
import styles from './dialogs.module.css';

export function ExportDialog({ site, onClose }: { site: string; onClose: () => void }) {
  const [isBusy, setBusy] = useState(false);

  async function save(columns: 'all' | undefined): Promise<void> {
    setBusy(true);
    try {
      const file = await download('GET /devices/export', { site, query: { columns } });
      saveFile(file, `devices-${site}-${new Date().toISOString().slice(0, 10)}.csv`);
      onClose();
    } catch (error) {
      showProblem(error);
      setBusy(false);
    }
  }

  return (
    <Dialog title={texts.importing.exportTitle} onClose={onClose}>
      <div className={styles.choices}>
        <p>{texts.importing.exportAll}</p>
        <Button look="primary" disabled={isBusy} onClick={() => void save('all')}>
          <Download aria-hidden="true" />
          {texts.importing.exportAllNow}
        </Button>
        <p>{texts.importing.exportShort}</p>
        <Button disabled={isBusy} onClick={() => void save(undefined)}>
          <Download aria-hidden="true" />
          {texts.importing.exportShortNow}
        </Button>
      </div>
    </Dialog>
  );
}

function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
