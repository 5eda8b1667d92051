/** Milliseconds of this process's own work since its start: other programs on the machine don't count. */
export function cpuTime(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
}
