/** As answers, events and logs show a time. */
export function iso<Time extends number | null>(time: Time): Time extends number ? string : null {
	return (time === null ? null : new Date(time).toISOString()) as never;
}
