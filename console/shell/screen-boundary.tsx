/** A screen that breaks takes nothing else with it, and says so. */
import { Component, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { texts } from './texts.ts';

/** React has no hook for this. */
export class ScreenBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state = { error: null as Error | null };

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <Page title={texts.broken}>
        <div role="alert">
          <p>{texts.brokenHint}</p>
          <p>
            <code data-foreign>{error.message}</code>
          </p>
        </div>
        <div>
          <Button look="primary" onClick={() => window.location.reload()}>
            {texts.reload}
          </Button>
        </div>
      </Page>
    );
  }
}
