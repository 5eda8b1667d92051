import { controlDocument } from './control-openapi.ts';
import { ENDPOINTS } from './endpoints.ts';

// Run by `npm run openapi`, which keeps the committed description up to date.
process.stdout.write(`${JSON.stringify(controlDocument(ENDPOINTS), null, '\t')}\n`);
