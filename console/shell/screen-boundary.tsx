/** A screen that breaks takes nothing else with it, and says so. */
import { Component, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { texts } from './texts.ts';

interface Props {
  /** Told of the error, in place of a text on the screen: for a dialog that is simply not opened. */
  onError?: (error: Error) => void;
  children: ReactNode;
}

/** React has no hook for this. */
export class ScreenBoundary extends Component<Props, { error: Error | null }> {
  override state = { error: null as Error | null };

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidCatch(error: Error): void {
    this.props.onError?.(error);
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    if (this.props.onError !== undefined) return null;
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
