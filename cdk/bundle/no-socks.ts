/** Stands in for `socks` in the bundles: mqtt loads it at every start, for proxies that no function goes through. */
export const SocksClient = {
  createConnection(): never {
    throw new Error('there are no SOCKS proxies here');
  },
};
