// Prints the description of the service, which is kept in git, or with `control` that of the control
// API, which is written when the package is packed.
import { controlDocument } from './src/control/control-openapi.ts';
import { ENDPOINTS } from './src/control/endpoints.ts';
import { openapiDocument } from './src/openapi/openapi.ts';

const description = process.argv[2] === 'control' ? controlDocument(ENDPOINTS) : openapiDocument();
process.stdout.write(`${JSON.stringify(description, null, '\t')}\n`);
