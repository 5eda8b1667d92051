import { z } from 'zod/v4';
import type { FieldError } from '../http/errors.ts';

const MINUTE = 60_000;
const SCHEDULE_WINDOW = { min: 15 * MINUTE, max: 90 * 24 * 60 * MINUTE };

/** ISO 8601 with a timezone offset, stored in UTC (rule SCHD-01). */
export const scheduledAt = z.iso.datetime({ offset: true });

/** What is wrong with a time (rule SCHD-02; both bounds inclusive). */
export function checkSchedule(sent: string | null, now: number): FieldError[] {
	if (sent === null) return [];
	const field = 'scheduledAt';
	const at = Date.parse(sent);
	if (at < now + SCHEDULE_WINDOW.min)
		return [{ field, rule: 'after', message: 'scheduledAt must be at least 15 minutes ahead' }];
	if (at > now + SCHEDULE_WINDOW.max)
		return [{ field, rule: 'before', message: 'scheduledAt must be at most 90 days ahead' }];
	return [];
}
