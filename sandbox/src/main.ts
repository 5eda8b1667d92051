#!/usr/bin/env node
// Only this file can run on an older Node: what it imports needs modules that Node 24 brought.
const OLDEST_NODE = 24;
const { node } = process.versions;

if (Number.parseInt(node) < OLDEST_NODE) {
	console.error(`The sandbox needs Node ${OLDEST_NODE} or later, and this is Node ${node}.`);
	process.exitCode = 2;
} else await import('./command.ts');
