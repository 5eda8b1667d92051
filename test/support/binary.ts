import { createRequire } from 'node:module';
import { BinaryDataService } from 'n8n-core';
import type { IBinaryData } from 'n8n-workflow';

/** The bytes of an item's file, from n8n's store or the item itself. */
export async function binaryContent(binary: IBinaryData): Promise<Buffer> {
	const fromCore = createRequire(require.resolve('n8n-core'));
	const { Container } = fromCore('@n8n/di') as {
		Container: { get<T>(type: new (...args: never[]) => T): T };
	};
	return await Container.get(BinaryDataService).getAsBuffer(binary);
}
