/** Where npm finds packages may have been said in its variables, which programs that we start do not see else. */
export function registrySettings(): NodeJS.ProcessEnv {
  const ours = /^npm_config_(?:registry|cache|userconfig|cafile|strict_ssl|(?:https?_|no)?proxy)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => ours.test(name)));
}
