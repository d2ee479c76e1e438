package import Storage

/// The store's name and schema. Keys are integers and indexes hold nothing personal
/// (Sources/SECURITY.md, Erasure).
package enum SessionTables {
    /// The store's name.
    package static let storeName = "session"
    /// The store's schema.
    package static let migrations = [
        Migration(
            number: 1, sql: session + usedProof + accountEnd + signingKey,
            server: session + sessionPages + usedProof + accountEnd + signingKey),
        Migration(number: 2, sql: rotation + tokenKey),
        Migration(number: 3, sql: openSessions),
        Migration(number: 4, sql: sessionEnd + signingKeyLife),
        Migration(number: 5, sql: proofs + storeEpoch),
        Migration(number: 6, sql: accountSeen),
        Migration(
            number: 7, sql: revocationPosition + revocationPositions, server: revocationPosition),
        Migration(number: 8, sql: signingKeysVersion),
        Migration(number: 9, sql: sessionGeneration),
        Migration(number: 10, sql: endedSessions),
        Migration(number: 11, sql: deletedSession),
        Migration(number: 12, sql: revocationNumbers, server: Feed.sessionEnds.tables),
        Migration(number: 13, sql: sessionPlaces),
        Migration(number: 14, sql: briefSessions),
        Migration(number: 15, sql: accountClaims),
    ]

    /// One row for each session and so for each refresh token family: `counter` is the leaf's.
    /// `methods` are the sign-in's (RFC 8176), separated by spaces; `device` is a keyed hash;
    /// `end_reason` as in `EndReason`.
    private static let session = """
        CREATE TABLE session (
            id INTEGER PRIMARY KEY,
            account INTEGER NOT NULL,
            counter INTEGER NOT NULL CHECK (counter > 0),
            created_at_ms INTEGER NOT NULL,
            used_at_ms INTEGER NOT NULL,
            auth_time_ms INTEGER NOT NULL,
            proved_at_ms INTEGER NOT NULL,
            methods TEXT NOT NULL,
            platform TEXT,
            device BLOB,
            ended_at_ms INTEGER,
            end_reason INTEGER,
            CHECK ((ended_at_ms IS NULL) = (end_reason IS NULL))
        ) STRICT;
        CREATE INDEX session_by_account ON session (account);
        CREATE INDEX session_by_end ON session (ended_at_ms) WHERE ended_at_ms IS NOT NULL;
        """

    /// A server writes a changed row as a new one, here on the same page: a refresh changes no
    /// indexed column. The former ones are cleared away often.
    private static let sessionPages = """
        ALTER TABLE session SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
        """

    /// `rotated_at_ms` is when the leaf was issued. It is 0 for sessions from before the column,
    /// which therefore have no grace. `device_key` is the raw public key of a session that is bound
    /// to one.
    private static let rotation = """
        ALTER TABLE session ADD COLUMN rotated_at_ms INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE session ADD COLUMN device_key BLOB;
        """

    /// The refresh token keys, sealed; the one that is not superseded issues new tokens.
    private static let tokenKey = """
        CREATE TABLE token_key (
            id INTEGER PRIMARY KEY CHECK (id BETWEEN 1 AND 255),
            sealed_key BLOB NOT NULL,
            made_at_ms INTEGER NOT NULL,
            superseded_at_ms INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX token_key_current ON token_key ((superseded_at_ms IS NULL))
        WHERE superseded_at_ms IS NULL;
        """

    /// The device's name, sealed, for its owner's list (G-22). Each sign-in queries the account's
    /// open sessions (S-03), so ended ones are not in the index: an account that signs in and out
    /// all day must not become slow.
    private static let openSessions = """
        ALTER TABLE session ADD COLUMN device_name BLOB;
        DROP INDEX session_by_account;
        CREATE INDEX session_open_by_account ON session (account) WHERE ended_at_ms IS NULL;
        """

    /// Where and in which program a session was opened, sealed, for its owner's list (G-22). Older
    /// sessions have neither.
    private static let sessionPlaces = """
        ALTER TABLE session ADD COLUMN place BLOB;
        ALTER TABLE session ADD COLUMN agent BLOB;
        """

    /// When a brief session ends (`SessionLife`). NULL for all others. An earlier program takes a
    /// brief session for another one, of which nothing is left that could be refreshed.
    private static let briefSessions = "ALTER TABLE session ADD COLUMN ends_at_ms INTEGER;"

    /// What tokens of an account have besides (`KnownClaims`), sealed; and for each open session
    /// whether it has anything, so that other sessions are refreshed without a look at this table.
    private static let accountClaims = """
        CREATE TABLE account_claims (
            account INTEGER PRIMARY KEY,
            version INTEGER NOT NULL,
            sealed BLOB
        ) STRICT;
        ALTER TABLE session ADD COLUMN has_claims INTEGER NOT NULL DEFAULT 0;
        """

    /// The ended sessions of an account, for its export and deletion (G-20, G-21). An index of
    /// their own, which no sign-in queries.
    private static let endedSessions = """
        CREATE INDEX session_ended_by_account ON session (account) WHERE ended_at_ms IS NOT NULL;
        """

    /// Keyed hashes of the sessions of deleted accounts (`DeletedSessions`), for the answer to
    /// their tokens; `number` orders them by age, for the purge.
    private static let deletedSession = """
        CREATE TABLE deleted_session (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            session_key BLOB NOT NULL,
            deleted_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX deleted_session_by_key ON deleted_session (session_key);
        """

    /// All of the owner's proofs, where there are several (`SessionProofs`); `methods` and
    /// `auth_time_ms` are those of the latest.
    private static let proofs = "ALTER TABLE session ADD COLUMN proofs TEXT;"

    /// Sign-in proofs that have opened a session, kept while they would still be accepted; `number`
    /// orders them by age, for the purge.
    private static let usedProof = """
        CREATE TABLE used_proof (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            nonce BLOB NOT NULL,
            stale_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX used_proof_by_nonce ON used_proof (nonce);
        """

    /// For each account the moment before which its sign-in proofs open no session.
    private static let accountEnd = """
        CREATE TABLE account_end (
            account INTEGER PRIMARY KEY,
            before_ms INTEGER NOT NULL,
            reason INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX account_end_by_moment ON account_end (before_ms);
        """

    /// `state` as in `StoredSigningKey.State`; the private number is sealed, and deleted when a key
    /// stops signing.
    private static let signingKey = """
        CREATE TABLE signing_key (
            id INTEGER PRIMARY KEY,
            state INTEGER NOT NULL CHECK (state BETWEEN 1 AND 3),
            x BLOB NOT NULL,
            y BLOB NOT NULL,
            private_number BLOB,
            made_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX signing_key_active ON signing_key (state) WHERE state = 1;
        """

    /// When an account's ended sessions were last used (I-01, G-09): ended sessions are deleted
    /// after a while, and their rows are not indexed by account.
    private static let accountSeen = """
        CREATE TABLE account_seen (
            account INTEGER PRIMARY KEY,
            seen_at_ms INTEGER NOT NULL
        ) STRICT;
        """

    /// The epoch that feed positions belong to (`SessionRestore`), and when it began.
    private static let storeEpoch = """
        CREATE TABLE store_epoch (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            epoch INTEGER NOT NULL,
            begun_at_ms INTEGER NOT NULL
        ) STRICT;
        """

    /// One row for each end of the last two hours. Followers resume from `number`
    /// (`Feed.sessionEnds`).
    private static let sessionEnd = """
        CREATE TABLE session_end (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            session INTEGER NOT NULL,
            ended_at_ms INTEGER NOT NULL,
            reason INTEGER NOT NULL
        ) STRICT;
        INSERT INTO session_end (session, ended_at_ms, reason)
            SELECT id, ended_at_ms, end_reason FROM session
            WHERE ended_at_ms > (SELECT max(ended_at_ms) FROM session) - 7200000
            ORDER BY ended_at_ms, id;
        """

    private static let revocationPosition =
        "ALTER TABLE session_end ADD COLUMN position INTEGER;"

    /// Positions apart from the numbers. Unused since step 12; the version before it gives each row
    /// without a position its number. No server had that version.
    private static let revocationPositions = """
        INSERT INTO feed_head (feed, last) VALUES (
            'session_end',
            coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'session_end'), 0));
        CREATE UNIQUE INDEX session_end_position ON session_end (position)
            WHERE position IS NOT NULL;
        UPDATE session_end SET position = number;
        CREATE INDEX session_end_unpositioned ON session_end (number) WHERE position IS NULL;
        """

    /// A row's number is its position. On a server the number comes later.
    private static let revocationNumbers = """
        DROP INDEX session_end_position;
        DROP INDEX session_end_unpositioned;
        """

    /// Session generations (`AccountEnd`): of the proof that opened a session, 0 for one of an
    /// earlier build; and of an account's latest end, with the time of its latest end without one.
    private static let sessionGeneration = """
        ALTER TABLE session ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE account_end ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE account_end ADD COLUMN before_by_clock_ms INTEGER NOT NULL DEFAULT 0;
        """

    /// The number of changes of the signing keys, for their order (`CurrentSigningKeys`).
    private static let signingKeysVersion = """
        CREATE TABLE signing_keys_version (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            version INTEGER NOT NULL
        ) STRICT;
        """

    /// When a key started to sign, stopped signing, and stopped verifying. A key that is passive
    /// (2) and has its private number is announced: a program from before this migration publishes
    /// it, as intended.
    private static let signingKeyLife = """
        ALTER TABLE signing_key ADD COLUMN active_at_ms INTEGER;
        ALTER TABLE signing_key ADD COLUMN passive_at_ms INTEGER;
        ALTER TABLE signing_key ADD COLUMN retired_at_ms INTEGER;
        ALTER TABLE signing_key ADD COLUMN revoked INTEGER NOT NULL DEFAULT 0;
        """
}
