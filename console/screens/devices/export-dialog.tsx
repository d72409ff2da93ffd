/** Saves the devices as a CSV file. */
import importTexts from 'messages:import';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { download } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { showProblem } from '../../ui/toast.tsx';

export function ExportDialog({ site, onClose }: { site: string; onClose: () => void }) {
  const [isBusy, setBusy] = useState(false);

  async function save(columns: 'all' | undefined): Promise<void> {
    setBusy(true);
    try {
      const file = await download('GET /devices/export', { site, query: { columns } });
      saveFile(`devices-${site}-${new Date().toISOString().slice(0, 10)}.csv`, file);
      onClose();
    } catch (error) {
      showProblem(error);
      setBusy(false);
    }
  }

  return (
    <Dialog title={importTexts.exportTitle} onClose={onClose}>
      <div className="grid gap-3">
        <p>{importTexts.exportAll}</p>
        <Button look="primary" disabled={isBusy} onClick={() => void save('all')}>
          <Download aria-hidden="true" />
          {importTexts.exportAllNow}
        </Button>
        <p>{importTexts.exportShort}</p>
        <Button disabled={isBusy} onClick={() => void save(undefined)}>
          <Download aria-hidden="true" />
          {importTexts.exportShortNow}
        </Button>
      </div>
    </Dialog>
  );
}
