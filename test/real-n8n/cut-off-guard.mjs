// Loaded into a program that is to reach the service and nobody else (see cut-off.ts): refuses every
// other connection and writes down that it was tried. In a network namespace it opens the ways there are.
import { appendFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';

import { passOn } from './passage.ts';

const { CUT_OFF_ALLOWED, CUT_OFF_PORT, CUT_OFF_RECORD, CUT_OFF_SOCKETS } = process.env;

const connect = Socket.prototype.connect;
Socket.prototype.connect = function (...args) {
	// net.connect passes its arguments on as a list that it has read already.
	const [given] = Array.isArray(args[0]) ? args[0] : args;
	const { path, port, host = 'localhost' } = typeof given === 'object' ? given : { port: given };
	if (path || [CUT_OFF_ALLOWED, CUT_OFF_PORT].includes(String(port))) {
		return connect.apply(this, args);
	}
	appendFileSync(CUT_OFF_RECORD, `${host}:${port}\n`);
	return this.destroy(new Error('cut off'));
};

if (CUT_OFF_SOCKETS) {
	const socket = (name) => ({ path: join(CUT_OFF_SOCKETS, `${name}.sock`) });
	await passOn({ port: Number(CUT_OFF_ALLOWED) }, socket('service'));
	await passOn(socket('receiver'), { port: Number(CUT_OFF_PORT) });
}
