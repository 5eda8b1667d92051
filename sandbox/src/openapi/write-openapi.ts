import { openapiDocument } from './openapi.ts';

// Run by `npm run openapi`, which keeps the committed description up to date.
process.stdout.write(`${JSON.stringify(openapiDocument(), null, '\t')}\n`);
