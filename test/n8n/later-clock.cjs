// For `NODE_OPTIONS=--require`: each SIGUSR2 moves the process's clock forward by eleven minutes,
// so that what happens after ten can be seen within seconds. Timers are unaffected.
const { now } = Date;
const ELEVEN_MINUTES = 11 * 60_000;
let ahead = 0;

Date.now = () => now.call(Date) + ahead;
process.on('SIGUSR2', () => {
	ahead += ELEVEN_MINUTES;
});
