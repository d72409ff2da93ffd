/** The properties of every screen. */
export interface ScreenProps {
  /** Empty for screens about all sites. */
  site: string;
  /** The last part of the address, such as the key of a device; empty without one. */
  id: string;
}
