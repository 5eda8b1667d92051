// Two receivers in processes of their own on one PostgreSQL, behind one address that takes turns, in
// place of the stack's own.
import { temporaryFolder } from '../contract/receiver/harness.ts';
import { startProcess } from '../contract/receiver/process.ts';
import { freePort } from '../n8n/port.ts';
import type { Stack } from '../n8n/stack.ts';
import { startProxy } from '../support/proxy.ts';

export type ReceiverProcess = Awaited<ReturnType<typeof startProcess>>;

export interface Receivers {
	receivers: ReceiverProcess[];
	/** Starts one on its port, again after it was killed. */
	start(index: number): Promise<void>;
	/** Ends the address in front; `cleanUp` of the harness ends the receivers. */
	close(): Promise<void>;
}

export async function startReceivers(stack: Stack, databaseUrl: string): Promise<Receivers> {
	await stack.stopReceiver();
	const shared = {
		DATABASE_URL: databaseUrl,
		MANAGEMENT_TOKEN: stack.managementToken,
		INGEST_HMAC_SECRETS: stack.hmacSecret,
	};
	const ports = [await freePort(), await freePort()];
	const receivers: ReceiverProcess[] = [];
	const start = async (index: number) => {
		const env = { ...shared, PORT: String(ports[index]) };
		receivers[index] = await startProcess(temporaryFolder(), env);
	};
	// One at a time: both would create the tables.
	for (const index of ports.keys()) await start(index);
	const proxy = await startProxy({ targets: () => receivers.map(({ url }) => url) });
	stack.receiver = { url: proxy.url, close: async () => undefined };
	await stack.saveCredentials();
	return { receivers, start, close: () => proxy.close() };
}
