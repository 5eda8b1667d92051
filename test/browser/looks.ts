import { allAtNight } from '../support/ring.ts';

/** Dark is more than light with other colors: what is hard to read is found in either. */
export const COLOR_SCHEMES = allAtNight<'light' | 'dark'>('light', 'dark');

/** A large screen, enlarged to 400 %, and a telephone, which is wider than that. */
export const WIDTHS = [1280, ...allAtNight(320, 390)];
