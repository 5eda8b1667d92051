// Prints the description of the service, which is kept in git, or with `control` that of the control
// API, which is written when the package is packed.
import { controlDocument } from './src/control/document.ts';
import { CONTROL_ENDPOINTS } from './src/control/endpoints.ts';
import { serviceDocument } from './src/service/document.ts';

const description =
	process.argv[2] === 'control' ? controlDocument(CONTROL_ENDPOINTS) : serviceDocument();
process.stdout.write(`${JSON.stringify(description, null, '\t')}\n`);
