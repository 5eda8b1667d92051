import { nodeConfig } from '../eslint.shared.mjs';

export default nodeConfig;
