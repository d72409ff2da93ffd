/** What every screen is given. */
export interface ScreenProps {
  /** The id of the site that the screen is about; empty for screens about all sites. */
  site: string;
  /** The last part of the address, such as the key of a device; empty where there is none. */
  id: string;
}
