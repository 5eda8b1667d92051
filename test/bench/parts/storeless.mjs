// Loaded before a receiver: what it would store counts as stored at once. All else of its way in stays.
import { Batcher } from '../../../webhook-receiver/src/sql/batcher.ts';

Batcher.prototype.add = async ({ candidates }) => ({ accepted: candidates.length, duplicates: 0 });
