// The sandbox's own zod, newer than the one that n8n brings and the rest of the tests have.
export { z } from '../../sandbox/node_modules/zod/v4/index.cjs';
