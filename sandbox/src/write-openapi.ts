import { openapiDocument } from './openapi.ts';

// For `npm run openapi`, which keeps the committed description current.
process.stdout.write(`${JSON.stringify(openapiDocument(), null, '\t')}\n`);
