import { nodeConfig } from '../eslint.shared.mjs';

// Written by openapi-typescript, in its own style.
export default [{ ignores: ['src/client/operations.ts'] }, ...nodeConfig];
