/** Programs of the host, by Debian package. Chromium without its windows takes half of the processor. */
export const BROWSER_PROGRAMS = ['chromium-headless-shell'];
/** Serves as well, where the other one is no package. */
export const OTHER_BROWSER = 'chromium';
/** Fonts: without any, a browser draws boxes. */
export const BROWSER_PACKAGES = ['chromium-headless-shell', 'fonts-dejavu-core'];
