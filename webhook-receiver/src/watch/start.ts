import type { Clock } from '../clock.ts';
import type { ReceiverConfig } from '../config.ts';
import { createService } from './service.ts';
import { Watcher } from './watcher.ts';
import type { WatcherConfig, WatcherParts } from './watcher.ts';

/** Watching as configured, or null where no service is. */
export type Watching = { watcher: Watcher; config: WatcherConfig } | null;

/** A watcher of the configured service; it polls once it is woken. */
export function createWatching(
	config: ReceiverConfig['watching'],
	parts: Omit<WatcherParts, 'service'> & { clock: Clock },
): Watching {
	if (config === null) return null;
	const service = createService(config.service, parts.clock.now);
	return { config, watcher: new Watcher(config, { ...parts, service }) };
}
