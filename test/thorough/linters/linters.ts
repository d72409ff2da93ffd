/** The linters of the documents: 243 packages and 83 MB, which would make `npm ci` take two thirds longer. */
import type { OwnPackages } from '../../support/own-packages.ts';

export const LINTERS: OwnPackages = {
  name: 'the linters of the OpenAPI document',
  folder: 'test/thorough/linters',
  probe: 'node_modules/@stoplight/spectral-cli/package.json',
};
