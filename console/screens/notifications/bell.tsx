/** The bell in the frame. What it shows is loaded after the first screen, so that it takes nothing from that. */
import bellTexts from 'messages:bell';
import { Bell as BellPicture } from 'lucide-react';
import { Suspense } from 'react';
import { lazy } from '../../shell/lazy-screen.ts';
import { IconButton } from '../../ui/button.tsx';

const News = lazy(() => import('./bell-news.tsx'));

export function Bell() {
  return (
    <Suspense
      fallback={
        <IconButton label={bellTexts.title}>
          <BellPicture />
        </IconButton>
      }
    >
      <News />
    </Suspense>
  );
}
