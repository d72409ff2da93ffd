/** The button for the next page of a list. */
import common from 'messages:common';
import { Button } from './button.tsx';
import { showProblem } from './toast.tsx';

export interface Pages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => Promise<{ isFetchNextPageError: boolean; error: Error | null }>;
}

export function MoreButton({ of: { hasNextPage, isFetchingNextPage, fetchNextPage } }: { of: Pages }) {
  if (!hasNextPage) return null;
  const more = async () => {
    const { isFetchNextPageError, error } = await fetchNextPage();
    if (isFetchNextPageError) showProblem(error);
  };
  return (
    <div>
      <Button onClick={() => void more()} disabled={isFetchingNextPage}>
        {isFetchingNextPage ? common.loading : common.more}
      </Button>
    </div>
  );
}
