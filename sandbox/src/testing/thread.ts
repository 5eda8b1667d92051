// The sandbox of a test file, in a thread of its own: see `useSandbox`.
import { parentPort, workerData } from 'node:worker_threads';
import { startSandbox, type SandboxOptions } from '../sandbox.ts';

const { close, ...running } = await startSandbox(workerData as Partial<SandboxOptions>);
parentPort?.once('message', () => void close().then(() => parentPort?.close()));
parentPort?.postMessage(running);
