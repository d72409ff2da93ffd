/** The action of a screen that shares what it shows. */
import texts from 'messages:shares';
import { Share2 } from 'lucide-react';
import { useRights } from '../../api/rights.ts';
import { useSiteName } from '../../api/site-name.ts';
import { lazyPart } from '../../shell/lazy-screen.ts';
import { ActionButtons } from '../../ui/action.tsx';

const ShareDialog = lazyPart(async () => ({ default: (await import('./share-dialog.tsx')).ShareDialog }));

export function ShareButton({ site, view }: { site: string; view: 'status' | 'map' }) {
  const name = useSiteName(site);
  if (!useRights().may('admin')) return null;
  const dialog = (close: () => void) => <ShareDialog {...{ site, name, view }} onClose={close} />;
  return <ActionButtons actions={[{ label: texts.share, icon: <Share2 aria-hidden="true" />, dialog }]} />;
}
