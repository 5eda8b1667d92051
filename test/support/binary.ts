import { createRequire } from 'node:module';
import { join } from 'node:path';
import { BinaryDataService } from 'n8n-core';
import type { IBinaryData } from 'n8n-workflow';

/** The bytes of a file an item carries, from n8n's store or from the item itself. */
export async function binaryContent(binary: IBinaryData): Promise<Buffer> {
	const fromCore = createRequire(join(process.cwd(), 'node_modules/n8n-core/package.json'));
	const { Container } = fromCore('@n8n/di') as {
		Container: { get<T>(type: new (...args: never[]) => T): T };
	};
	return await Container.get(BinaryDataService).getAsBuffer(binary);
}
