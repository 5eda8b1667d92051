import { startTcpProxy } from '../../support/tcp-proxy.ts';
import type { TcpProxy } from '../../support/tcp-proxy.ts';
import { later } from './harness.ts';

/** A database through a proxy, whose connections can fall silent or be cut. */
export async function behindProxy(url: string): Promise<{ url: string; proxy: TcpProxy }> {
	const there = new URL(url);
	const proxy = await startTcpProxy(Number(there.port));
	later(() => proxy.stop());
	there.port = String(proxy.port);
	return { url: there.href, proxy };
}
