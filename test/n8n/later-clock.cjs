// For `NODE_OPTIONS=--require`: each SIGUSR2 puts the clock of the process forward by eleven minutes, so
// that what is to happen after ten can be seen within seconds. Timers go on as they are.
const { now } = Date;
const ELEVEN_MINUTES = 11 * 60_000;
let ahead = 0;

Date.now = () => now.call(Date) + ahead;
process.on('SIGUSR2', () => {
	ahead += ELEVEN_MINUTES;
});
