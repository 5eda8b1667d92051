import { testMinute } from './minute.ts';

testMinute('sqlite');
