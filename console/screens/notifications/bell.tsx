/** The bell in the frame. Its news load after the first screen, so as not to delay that. */
import bellTexts from 'messages:bell';
import { Bell as BellPicture } from 'lucide-react';
import { Suspense } from 'react';
import { lazy } from '../../shell/lazy-screen.ts';
import { IconButton } from '../../ui/button.tsx';

const News = lazy(() => import('./bell-news.tsx'));

export function Bell() {
  return (
    <Suspense fallback={<IconButton label={bellTexts.title} icon={<BellPicture />} />}>
      <News />
    </Suspense>
  );
}
