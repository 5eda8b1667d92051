// For `--import`: notes in the file CONNECTIONS whom the process connects to, a line each. It sees what goes
// through net: TLS, HTTP, fetch and undici, but no UDP, no DNS lookup by itself and no other program. The
// receiver's sources import none of these (.dependency-cruiser.mjs).
import { appendFileSync } from 'node:fs';
import { Socket } from 'node:net';

const { CONNECTIONS } = process.env;
const { connect } = Socket.prototype;

// There from the start, so that nobody takes a process that was not watched for one that reached nobody.
appendFileSync(CONNECTIONS, '');

Socket.prototype.connect = function (...args) {
	// net.connect passes its arguments on as a list that it has read already.
	const [given, name] = Array.isArray(args[0]) ? args[0] : args;
	const { port, host = 'localhost' } =
		typeof given === 'object' ? given : { port: given, host: name };
	if (port !== undefined) appendFileSync(CONNECTIONS, `${host}:${port}\n`);
	return connect.apply(this, args);
};
