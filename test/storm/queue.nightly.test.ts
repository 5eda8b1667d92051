import { testMinute } from './minute.ts';

testMinute('queue');
