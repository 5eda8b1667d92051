// Loaded into a program that is to reach the service and nobody else (see cut-off.ts): refuses every
// other connection and writes down that it was tried. It sees what goes through net: TLS, HTTP, fetch and
// undici, but no UDP, no DNS lookup by itself and no other program. The receiver's sources import none of
// these (.dependency-cruiser.mjs).
import { appendFileSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';

const { CUT_OFF_ALLOWED, CUT_OFF_RECORD } = process.env;

// There from the start, so that nobody takes a guard that was not loaded for one that saw nothing.
writeFileSync(CUT_OFF_RECORD, '');

const connect = Socket.prototype.connect;
Socket.prototype.connect = function (...args) {
	// net.connect passes its arguments on as a list that it has read already.
	const [given] = Array.isArray(args[0]) ? args[0] : args;
	const { port, host = 'localhost' } = typeof given === 'object' ? given : { port: given };
	if (String(port) === CUT_OFF_ALLOWED) return connect.apply(this, args);
	appendFileSync(CUT_OFF_RECORD, `${host}:${port}\n`);
	return this.destroy(new Error('cut off'));
};
