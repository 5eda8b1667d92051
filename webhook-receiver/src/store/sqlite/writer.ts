import type { DatabaseSync } from 'node:sqlite';
import type { StoreListener } from '../../pull/consumer-store.ts';
import { News } from '../news.ts';
import { GroupCommit } from './group-commit.ts';

/** The one way to write to the embedded store: commits, then tells the listener what that changed. */
export class Writer {
	listener: StoreListener | null = null;
	private readonly commits: GroupCommit;

	constructor(database: DatabaseSync) {
		this.commits = new GroupCommit(database);
	}

	/** Runs `work` in a transaction; resolves once that is committed and told. */
	async write<T>(work: (news: News) => T): Promise<T> {
		const news = new News();
		const result = await this.commits.write(() => work(news));
		if (this.listener !== null) news.tell(this.listener);
		return result;
	}

	/** Commits what is waiting, now. */
	flush(): void {
		this.commits.flush();
	}
}
