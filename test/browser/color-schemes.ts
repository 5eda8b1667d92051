import { bothAtNight } from '../support/ring.ts';

/** Dark is more than light with other colors: what is hard to read is found in either. */
export const COLOR_SCHEMES = bothAtNight<'light' | 'dark'>('light', 'dark');
