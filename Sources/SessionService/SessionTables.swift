import Storage

/// The store's schema. Keys are integers and nothing in an index is personal (design.md, Erasure).
enum SessionTables {
    static let migrations = [
        Migration(number: 1, sql: session + usedProof + accountEnd + signingKey),
        Migration(number: 2, sql: EndsTables.sql),
    ]

    /// One row for each session and thus for each family of refresh tokens: `counter` is the one
    /// token of it that is good now. `methods` are the sign-in's (RFC 8176), parted by spaces;
    /// `device` is a keyed hash; `end_reason` as in `EndReason`.
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

    /// Sign-in proofs that have opened a session, as long as they would still be fresh; `number`
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

    /// `state` as in `SigningKeyState`; the private number is sealed, and gone once a key signs no
    /// more.
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
}
