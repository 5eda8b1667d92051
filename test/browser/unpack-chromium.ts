// Unpacks the Chromium of @sparticuz/chromium into TMPDIR. A process of its own, since the package takes
// the folder from there when it is asked. Usage: TMPDIR=<folder> node unpack-chromium.ts
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import chromium, { inflate } from '@sparticuz/chromium';

const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
const archives = join(dirname(entry), '..', 'bin');
await chromium.executablePath(archives);
// Libraries that a bare Debian does not have: libnss3, libnspr4 and what they load.
await inflate(join(archives, 'al2023.tar.br'));
