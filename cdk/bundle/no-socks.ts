/** Replaces `socks` in the bundles, which mqtt loads at every start, because the functions use no proxy. */
export const SocksClient = {
  createConnection(): never {
    throw new Error('SOCKS proxies are not supported in the functions');
  },
};
