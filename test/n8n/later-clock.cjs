// For `--require`: sets the process's wall clock. Timers and `performance.now` are unaffected.
// Each SIGUSR2 moves it forward by eleven minutes, so that what happens after ten can be seen within
// seconds; a message `{ ahead }` from the parent puts it that many milliseconds ahead of the true
// time, or behind it, and is answered. CLOCK_AHEAD does so from the start.
const { now } = Date;
const ELEVEN_MINUTES = 11 * 60_000;
let ahead = Number(process.env.CLOCK_AHEAD ?? 0);

Date.now = () => now.call(Date) + ahead;
process.on('SIGUSR2', () => {
	ahead += ELEVEN_MINUTES;
});
if (process.channel) {
	process.on('message', (message) => {
		if (typeof message.ahead !== 'number') return;
		ahead = message.ahead;
		process.send(message);
	});
	// It must not keep a process that has ended from exiting.
	process.channel.unref();
}
