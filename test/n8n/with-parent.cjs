// Preloaded into each n8n: it ends with the process that started it, `STARTED_BY`, however that one
// ends. n8n is in a process group of its own, so no signal reaches it from a terminal, and an orphan
// in queue mode takes a whole processor to look for its Redis.
const parent = Number(process.env.STARTED_BY);

setInterval(() => {
	if (process.ppid !== parent) process.kill(-process.pid, 'SIGKILL');
}, 1_000).unref();
