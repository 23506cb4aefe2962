package import SQLite

/// The tables of the catalog, as migrations that are only ever added to.
package enum CatalogSchema {
    /// "run1" in ASCII: marks the file as a catalog of this program.
    package static let applicationID: Int32 = 0x7275_6E31

    package static let migrator = Migrator(
        applicationID: applicationID,
        migrations: [
            Migration("tables", sql: tables), Migration("what sources keep", sql: keptBySources),
            Migration("sums by day", sql: sumsByDay), Migration("templates", sql: templates),
            Migration("hosts that were gone easy on", sql: throttles),
            Migration("equal bytes", sql: "ALTER TABLE run ADD COLUMN saved_bytes INTEGER NOT NULL DEFAULT 0"),
            Migration("variants by Vary", sql: variants),
            Migration("pictures", sql: pictures),
            Migration("cache limit", sql: cacheLimit),
            Migration("turns", sql: turns),
            Migration("owners", sql: owners),
            Migration("how a run was started", sql: "ALTER TABLE run ADD COLUMN overrides TEXT"),
            Migration("known failures", sql: knownFailures),
            Migration("extensions of files", sql: "ALTER TABLE item ADD COLUMN extension TEXT"),
            Migration("downloads of pruned runs", sql: prunedDownloads),
            Migration("the page", sql: page),
            Migration("settings that runs are compared by", sql: comparedSettings),
            Migration("views", sql: views),
            Migration("metadata beside files", sql: sidecars),
            Migration("turns of pins", sql: "ALTER TABLE pin ADD COLUMN turn INTEGER NOT NULL DEFAULT 0"),
            Migration("previews", sql: "ALTER TABLE picture ADD COLUMN preview BLOB"),
            Migration("shards", sql: ShardRows.schema),
            Migration("lists that were cut", sql: OwedItems.schema),
        ])

    private static let tables = """
        CREATE TABLE job (
            name TEXT PRIMARY KEY,
            file TEXT NOT NULL,
            directory TEXT NOT NULL,
            created_at INTEGER NOT NULL
        ) WITHOUT ROWID;

        CREATE TABLE run (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            job TEXT NOT NULL REFERENCES job(name) ON DELETE CASCADE,
            started_at INTEGER NOT NULL,
            finished_at INTEGER,
            outcome TEXT NOT NULL DEFAULT 'running',
            selection TEXT,
            downloaded INTEGER NOT NULL DEFAULT 0,
            unchanged INTEGER NOT NULL DEFAULT 0,
            fresh INTEGER NOT NULL DEFAULT 0,
            failed INTEGER NOT NULL DEFAULT 0,
            cancelled INTEGER NOT NULL DEFAULT 0,
            wire_bytes INTEGER NOT NULL DEFAULT 0,
            body_bytes INTEGER NOT NULL DEFAULT 0,
            list_requests INTEGER NOT NULL DEFAULT 0,
            list_bytes INTEGER NOT NULL DEFAULT 0,
            detail TEXT,
            runner_version TEXT NOT NULL,
            libcurl_version TEXT NOT NULL,
            host TEXT NOT NULL,
            pid INTEGER NOT NULL
        );
        CREATE INDEX run_by_job ON run(job, id);

        CREATE TABLE collection (
            id INTEGER PRIMARY KEY,
            job TEXT NOT NULL REFERENCES job(name) ON DELETE CASCADE,
            key TEXT NOT NULL,
            title TEXT NOT NULL,
            subtitle TEXT,
            section TEXT,
            latitude REAL,
            longitude REAL,
            position INTEGER NOT NULL,
            expected INTEGER,
            UNIQUE(job, key)
        );

        -- After `failure` come columns of the program's own: `stem`, the path without its extension, and `path_hash`,
        -- which keeps stems apart; `is_unsettled`, 1 while the latest transfer failed, was cancelled or never was;
        -- `permanent_failures` in a row and `asked_again_at`, before which the last of them stands; `stored_run`, the
        -- run that downloaded the file; `listing`, what the list promised of the bytes, as JSON.
        CREATE TABLE item (
            id INTEGER PRIMARY KEY,
            job TEXT NOT NULL REFERENCES job(name) ON DELETE CASCADE,
            collection_id INTEGER NOT NULL REFERENCES collection(id) ON DELETE CASCADE,
            key TEXT NOT NULL,
            position INTEGER NOT NULL,
            url TEXT NOT NULL,
            title TEXT NOT NULL,
            description TEXT,
            section TEXT,
            metadata TEXT,
            thumbnail_url TEXT,
            path TEXT,
            media_type TEXT,
            size INTEGER,
            sha256 TEXT,
            stored_url TEXT,
            etag TEXT,
            last_modified TEXT,
            expires_at INTEGER,
            stored_at INTEGER,
            state TEXT NOT NULL DEFAULT 'pending',
            failure TEXT,
            stem TEXT NOT NULL,
            path_hash INTEGER NOT NULL,
            is_unsettled INTEGER NOT NULL DEFAULT 1,
            permanent_failures INTEGER NOT NULL DEFAULT 0,
            asked_again_at INTEGER,
            stored_run INTEGER,
            listing TEXT,
            UNIQUE(job, key)
        );
        CREATE UNIQUE INDEX item_by_path ON item(job, path_hash);

        CREATE TABLE transfer (
            run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
            item_id INTEGER NOT NULL REFERENCES item(id) ON DELETE CASCADE,
            outcome TEXT NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            status INTEGER,
            failure TEXT,
            detail TEXT,
            started_at INTEGER,
            queue_us INTEGER,
            dns_us INTEGER,
            connect_us INTEGER,
            tls_us INTEGER,
            wait_us INTEGER,
            receive_us INTEGER,
            total_us INTEGER,
            store_us INTEGER,
            elapsed_us INTEGER,
            wire_bytes INTEGER,
            body_bytes INTEGER,
            http_version TEXT,
            connection_reused INTEGER,
            address TEXT,
            PRIMARY KEY (run_id, item_id)
        ) WITHOUT ROWID;

        CREATE TABLE mark (
            item_id INTEGER NOT NULL REFERENCES item(id) ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('favourite', 'viewed')),
            at INTEGER NOT NULL,
            PRIMARY KEY (item_id, kind)
        ) WITHOUT ROWID;

        CREATE TABLE pin (
            job TEXT NOT NULL REFERENCES job(name) ON DELETE CASCADE,
            name TEXT NOT NULL,
            latitude REAL NOT NULL,
            longitude REAL NOT NULL,
            radius REAL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (job, name)
        ) WITHOUT ROWID;
        """

    /// `picture.preview`, of thumbnails, is a `PreviewHash`. `picture.path` is relative to the job's directory. A row of `rendering` says of which bytes and with which settings
    /// an item's pictures were made, and why some of them were not.
    private static let pictures = """
        CREATE TABLE picture (
            item_id INTEGER NOT NULL REFERENCES item(id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            name TEXT,
            kind TEXT NOT NULL CHECK (kind IN ('thumbnail', 'page', 'entry')),
            path TEXT NOT NULL,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL,
            size INTEGER NOT NULL,
            sha256 TEXT NOT NULL,
            PRIMARY KEY (item_id, position, kind)
        ) WITHOUT ROWID;
        CREATE INDEX picture_by_path ON picture(path);

        CREATE TABLE rendering (
            item_id INTEGER PRIMARY KEY REFERENCES item(id) ON DELETE CASCADE,
            sha256 TEXT NOT NULL,
            settings TEXT NOT NULL,
            rendered_at INTEGER NOT NULL,
            failure TEXT,
            detail TEXT
        );
        """

    /// `evicted` counts transfers of that outcome, `freed_files` and `freed_bytes` what a run itself removed to keep within
    /// the limit of its job.
    private static let cacheLimit = """
        ALTER TABLE run ADD COLUMN evicted INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE run ADD COLUMN freed_files INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE run ADD COLUMN freed_bytes INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE day ADD COLUMN evicted INTEGER NOT NULL DEFAULT 0;
        """

    /// `identity.id` is what output directories know the catalog by. `masked_job` has the jobs of an earlier version, which
    /// wrote variables as `${NAME}` in keys, titles and paths, until the next run of each.
    private static let owners = """
        CREATE TABLE identity (id TEXT NOT NULL);
        INSERT INTO identity (id) VALUES (lower(hex(randomblob(16))));
        CREATE TABLE masked_job (name TEXT PRIMARY KEY REFERENCES job(name) ON DELETE CASCADE) WITHOUT ROWID;
        INSERT INTO masked_job (name) SELECT name FROM job;
        """

    /// `failed_since` is when the first of the `permanent_failures` in a row was met, `failed_status` the status of the last
    /// of them; both count only while `asked_again_at` is set. `run.known_failed` counts those of `run.failed` that were not
    /// asked.
    private static let knownFailures = """
        ALTER TABLE item ADD COLUMN failed_since INTEGER;
        ALTER TABLE item ADD COLUMN failed_status INTEGER;
        ALTER TABLE run ADD COLUMN known_failed INTEGER NOT NULL DEFAULT 0;
        """

    /// `budget.key` is the SHA-256 of what a limit is for.
    private static let keptBySources = """
        CREATE TABLE budget (
            key TEXT NOT NULL,
            began_at INTEGER NOT NULL,
            spent INTEGER NOT NULL,
            PRIMARY KEY (key, began_at)
        ) WITHOUT ROWID;

        CREATE TABLE memory (
            source TEXT NOT NULL,
            key TEXT NOT NULL,
            value TEXT NOT NULL,
            kept_at INTEGER NOT NULL,
            PRIMARY KEY (source, key)
        ) WITHOUT ROWID;
        CREATE INDEX memory_by_age ON memory(source, kept_at);
        """

    /// What pruned runs came to, by the day in UTC on which they began; runs that are still there are not in it.
    private static let sumsByDay = """
        CREATE TABLE day (
            job TEXT NOT NULL REFERENCES job(name) ON DELETE CASCADE,
            day TEXT NOT NULL,
            runs INTEGER NOT NULL,
            complete_runs INTEGER NOT NULL,
            elapsed_us INTEGER NOT NULL,
            downloaded INTEGER NOT NULL,
            unchanged INTEGER NOT NULL,
            fresh INTEGER NOT NULL,
            failed INTEGER NOT NULL,
            cancelled INTEGER NOT NULL,
            wire_bytes INTEGER NOT NULL,
            body_bytes INTEGER NOT NULL,
            list_requests INTEGER NOT NULL,
            list_bytes INTEGER NOT NULL,
            PRIMARY KEY (job, day)
        ) WITHOUT ROWID;
        """

    /// The templates of paths that a job has had; `item.template` is the one that the row's path was made with, NULL in
    /// rows that are older than this table.
    private static let templates = """
        CREATE TABLE template (
            id INTEGER PRIMARY KEY,
            job TEXT NOT NULL REFERENCES job(name) ON DELETE CASCADE,
            text TEXT NOT NULL,
            UNIQUE(job, text)
        );
        ALTER TABLE item ADD COLUMN template INTEGER;
        """

    /// `asked_run` is the run that last sent a request for the item, or for its URL in another place; NULL in rows that are
    /// older than this column, for which `stored_run` is used. `asked_in_vain` counts such runs since the last that got or
    /// confirmed the file.
    private static let turns = """
        ALTER TABLE item ADD COLUMN asked_run INTEGER;
        ALTER TABLE item ADD COLUMN asked_in_vain INTEGER NOT NULL DEFAULT 0;
        """

    /// By which request fields the stored reply was chosen, and a digest of what they were; NULL for most.
    private static let variants = "ALTER TABLE item ADD COLUMN variant TEXT;"

    /// Only hosts that asked for it have a row. `refusals` are replies 429 and 503, `cuts` counts how often the host's share
    /// was cut, down to `least_concurrency` requests at a time and `least_rate` a second; `held_us` is how long it was left
    /// alone, `pauses` how often because it failed again and again, `given_up` the items that ended of that.
    private static let throttles = """
        CREATE TABLE throttle (
            run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
            host TEXT NOT NULL,
            refusals INTEGER NOT NULL,
            cuts INTEGER NOT NULL,
            least_concurrency INTEGER,
            least_rate REAL,
            held_us INTEGER NOT NULL,
            pauses INTEGER NOT NULL,
            given_up INTEGER NOT NULL,
            PRIMARY KEY (run_id, host)
        ) WITHOUT ROWID;
        """

    /// The last download of an item by a run that was pruned: what its row of `transfer` said of time and size.
    private static let prunedDownloads = """
        CREATE TABLE download (
            item_id INTEGER PRIMARY KEY REFERENCES item(id) ON DELETE CASCADE,
            run_id INTEGER NOT NULL,
            started_at INTEGER,
            queue_us INTEGER,
            dns_us INTEGER,
            connect_us INTEGER,
            tls_us INTEGER,
            wait_us INTEGER,
            receive_us INTEGER,
            total_us INTEGER,
            store_us INTEGER,
            elapsed_us INTEGER,
            wire_bytes INTEGER,
            body_bytes INTEGER
        );
        """

    /// What `output.sidecar` has written beside the files of items; `path` is relative to the job's directory.
    private static let sidecars = """
        CREATE TABLE sidecar (
            item_id INTEGER PRIMARY KEY REFERENCES item(id) ON DELETE CASCADE,
            path TEXT NOT NULL,
            size INTEGER NOT NULL,
            sha256 TEXT NOT NULL
        );
        """

    /// For the page: items in the order of the list without looking at their rows, and those that it leaves out. `mark.section` and `mark.sort` are where a favourite stands in the alphabet; a pin is named by its `id`.
    private static let page = """
        CREATE INDEX item_by_place ON item(collection_id, position);
        CREATE INDEX item_left_out ON item(collection_id) WHERE state IN ('gone', 'removed');
        ALTER TABLE mark ADD COLUMN section TEXT;
        ALTER TABLE mark ADD COLUMN sort BLOB;
        ALTER TABLE pin ADD COLUMN id INTEGER;
        CREATE UNIQUE INDEX pin_by_id ON pin(id);
        """
}
