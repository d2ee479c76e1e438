import Cryptography
import ServiceRuntime
import Storage

/// A signing key in the store.
struct StoredSigningKey: Hashable, Sendable {
    /// The state of a signing key (S-01). The numbers are stored.
    enum State: Int64, CaseIterable, Sendable {
        /// Signs; its tokens verify. There is one.
        case active = 1
        /// Does not sign; its tokens verify. One that still has its private number has never
        /// signed: it is announced, so that every verifier knows it before it signs. One without it
        /// has stopped signing, and its tokens verify until they have expired.
        case passive = 2
        /// Its tokens no longer verify.
        case retired = 3
    }

    /// A key's phase, finer than the stored state.
    enum Phase: Hashable, Sendable {
        case announced
        case active
        case passive
        case retired
    }

    /// Retired keys whose tokens are still read: those of 80 years at 30 days a key, or six weeks
    /// at an hour a key; about 1 MiB.
    static let retiredReadMax: Int64 = 1_000

    let id: Int64
    let state: State
    /// The coordinates of the public point.
    let x: [UInt8]
    let y: [UInt8]
    /// The private number, sealed; nil once the key has stopped signing.
    let privateNumber: [UInt8]?
    /// When it was generated and published.
    let madeAt: Timestamp
    /// When it started to sign; nil if it never has.
    var activeAt: Timestamp?
    /// When it stopped signing.
    var passiveAt: Timestamp?
    /// When it stopped verifying.
    var retiredAt: Timestamp?
    /// Whether the operator revoked it, rather than the schedule retiring it.
    var isRevoked = false

    var phase: Phase {
        switch state {
        case .active: .active
        case .passive: privateNumber == nil ? .passive : .announced
        case .retired: .retired
        }
    }
}

extension SQLSession {
    /// All keys whose tokens verify.
    func signingKeys() throws -> [StoredSigningKey] {
        try query(
            """
            SELECT \(StoredSigningKey.columns) FROM signing_key
            WHERE state < ? ORDER BY made_at_ms, id
            """,
            [.integer(StoredSigningKey.State.retired.rawValue)], StoredSigningKey.init)
    }

    /// The keys that the schedule retired, the latest first. Revoked keys are not included: nothing
    /// they signed is trusted.
    func retiredSigningKeys() throws -> [StoredSigningKey] {
        try query(
            """
            SELECT \(StoredSigningKey.columns) FROM signing_key
            WHERE state = ? AND revoked = 0 ORDER BY retired_at_ms DESC NULLS LAST, id LIMIT ?
            """,
            [
                .integer(StoredSigningKey.State.retired.rawValue),
                .integer(StoredSigningKey.retiredReadMax),
            ],
            StoredSigningKey.init)
    }

    /// The number of changes of the keys (`SigningKeyRing.version`).
    func signingKeysVersion() throws -> Int64 {
        try queryOne("SELECT version FROM signing_keys_version WHERE id = 1") {
            try $0.integer(0)
        } ?? 0
    }

    /// The key of a row, in any state.
    func signingKey(_ id: Int64) throws -> StoredSigningKey? {
        try queryOne(
            "SELECT \(StoredSigningKey.columns) FROM signing_key WHERE id = ?", [.integer(id)],
            StoredSigningKey.init)
    }

    /// The newest keys, in any state.
    func latestSigningKeys(_ countMax: Int64) throws -> [StoredSigningKey] {
        try query(
            """
            SELECT \(StoredSigningKey.columns) FROM signing_key
            ORDER BY made_at_ms DESC, id DESC LIMIT ?
            """,
            [.integer(countMax)], StoredSigningKey.init)
    }
}

extension Transaction {
    /// Counts a change of the keys.
    func raiseSigningKeysVersion() throws {
        try execute(
            """
            INSERT INTO signing_keys_version (id, version) VALUES (1, 1)
            ON CONFLICT (id) DO UPDATE SET version = signing_keys_version.version + 1
            """)
    }

    /// Inserts a key.
    func insert(_ key: StoredSigningKey) throws {
        try put(
            """
            INSERT INTO signing_key (id, state, x, y, private_number, made_at_ms, active_at_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(key.id), .integer(key.state.rawValue), .blob(key.x), .blob(key.y),
                SQLValue(key.privateNumber), SQLValue(key.madeAt),
                SQLValue(key.activeAt),
            ])
    }

    /// Makes the active key passive and deletes its private number.
    func makeActiveSigningKeyPassive() throws {
        try put(
            """
            UPDATE signing_key SET state = ?, private_number = NULL, passive_at_ms = ?
            WHERE state = ?
            """,
            [
                .integer(StoredSigningKey.State.passive.rawValue), SQLValue(at),
                .integer(StoredSigningKey.State.active.rawValue),
            ])
    }

    /// Activates an announced key. No other key may be active.
    func activateSigningKey(_ id: Int64) throws {
        try putOne(
            """
            UPDATE signing_key SET state = ?, active_at_ms = ?
            WHERE id = ? AND state = ? AND private_number IS NOT NULL
            """,
            [
                .integer(StoredSigningKey.State.active.rawValue), SQLValue(at), .integer(id),
                .integer(StoredSigningKey.State.passive.rawValue),
            ])
    }

    /// Retires a key and deletes its private number, if it has one. A retired key that is revoked
    /// later keeps its retirement time.
    func retireSigningKey(_ id: Int64, isRevoked: Bool) throws {
        try put(
            """
            UPDATE signing_key
            SET state = ?, private_number = NULL, retired_at_ms = coalesce(retired_at_ms, ?),
                revoked = ?
            WHERE id = ? AND revoked = 0
            """,
            [
                .integer(StoredSigningKey.State.retired.rawValue), SQLValue(at),
                SQLValue(isRevoked), .integer(id),
            ])
    }
}

extension StoredSigningKey {
    /// The columns that `init` reads.
    fileprivate static let columns = """
        id, state, x, y, private_number, made_at_ms, active_at_ms, passive_at_ms, retired_at_ms, \
        revoked
        """

    fileprivate init(_ row: SQLRow) throws {
        guard let state = State(rawValue: try row.integer("state")) else {
            throw SQLError(.unexpectedValue, detail: "signing_key.state")
        }
        self.init(
            id: try row.integer("id"), state: state, x: try row.blob("x"), y: try row.blob("y"),
            privateNumber: try row.optionalBlob("private_number"),
            madeAt: try row.timestamp("made_at_ms"),
            activeAt: try row.optionalTimestamp("active_at_ms"),
            passiveAt: try row.optionalTimestamp("passive_at_ms"),
            retiredAt: try row.optionalTimestamp("retired_at_ms"),
            isRevoked: try row.boolean("revoked"))
    }
}

extension SealedPlace {
    /// The sealing context of a signing key's private number.
    static func signingKey(_ id: Int64) -> SealedPlace {
        SealedPlace(table: "signing_key", column: "private_number", row: id)
    }
}
