// The sandbox of a test file, in a thread of its own: see `useSandbox`.
import { parentPort, workerData } from 'node:worker_threads';
import { startSandbox, type SandboxOptions } from '../sandbox.ts';

const options = workerData as Partial<SandboxOptions>;
const { url, pageUrl, caCertificate, accounts, close } = await startSandbox(options);
parentPort?.once('message', () => void close().then(() => parentPort?.close()));
parentPort?.postMessage({ url, pageUrl, caCertificate, accounts });
