/** Builds the console into `dist/console/`: static files that work below any path, because all their links are relative. */
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { build, defineConfig, type Plugin } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url));
const FIRST_PAINT = 'shell/first-paint.ts';

/** Where `npm run dev` finds the API of a running `npm start`. */
const API = 'http://127.0.0.1:8787';

/**
 * A script at the head of the page that runs before the first paint. It must not be a module, because those run later,
 * and it has a file of its own, because the Content-Security-Policy forbids inline scripts.
 */
function firstPaint(): Plugin {
  let reference: string | null = null;
  let file: string | null = null;
  return {
    name: 'first-paint',
    async buildStart() {
      if (this.environment.mode !== 'build') return;
      const entry = fileURLToPath(new URL(FIRST_PAINT, import.meta.url));
      reference = this.emitFile({ type: 'asset', name: 'first-paint.js', source: await scriptOf(entry) });
    },
    renderStart() {
      if (reference !== null) file = this.getFileName(reference);
    },
    transformIndexHtml(html) {
      // While the console is developed it is a module, and the page may flash.
      const script = file === null ? `<script type="module" src="./${FIRST_PAINT}">` : `<script src="./${file}">`;
      return html.replace('<head>', `<head>\n    ${script}</script>`);
    },
  };
}

/** A module with all that it imports, as a script that is no module. */
async function scriptOf(entry: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    build: { write: false, target: 'es2023', lib: { entry, formats: ['iife'], name: 'firstPaint' } },
  });
  const [first] = Array.isArray(built) ? built : [built];
  const chunk = first !== undefined && 'output' in first ? first.output[0] : undefined;
  if (chunk === undefined) throw new Error(`${entry} was built into nothing`);
  return chunk.code;
}

export default defineConfig(({ command }) => ({
  root: here,
  base: command === 'serve' ? '/console/' : './',
  plugins: [react(), firstPaint()],
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2023',
    // Inlined files would be data: URLs, which the Content-Security-Policy of the console forbids for scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '^/(?!console/)': { target: API, changeOrigin: true } } },
}));
