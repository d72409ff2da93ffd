/**
 * The programs of the host that the tests of the console use, with their Debian packages. Chromium without its windows takes
 * half the time of a processor of the whole one.
 */
export const BROWSER_PROGRAMS = ['chromium-headless-shell'];
/** Serves as well, where the other one is no package. */
export const OTHER_BROWSER = 'chromium';
/** Fonts: without any, a browser draws boxes. */
export const BROWSER_PACKAGES = ['chromium-headless-shell', 'fonts-dejavu-core'];
