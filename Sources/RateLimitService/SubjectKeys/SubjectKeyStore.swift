import Cryptography
import ServiceRuntime
import Storage

/// The secrets that subjects are hashed under, sealed, in the same store as the audit trail. The
/// first one, number 0, is derived from the service's own key, and its row has no secret.
struct SubjectKeyStore: Sendable {
    /// A secret as it is stored.
    fileprivate struct Row: Sendable {
        let number: Int64
        let sealed: [UInt8]?
        let since: Timestamp
        let until: Timestamp?
    }

    let store: Store
    /// Number 0.
    let first: KeyedHash
    /// Seals the others.
    let box: SealedBox

    /// The secrets, the newest first.
    func secrets() async throws -> [SubjectHash] {
        try await store.read { try Self.rows($0) }.map(open)
    }

    /// Makes `secret` the current one.
    /// - Parameter forgettingOldest: deletes the oldest one if there are `secretsMax` already.
    /// - Returns: the secrets, the newest first; nil if there are `secretsMax` already.
    func add(_ secret: SecretBytes, forgettingOldest: Bool) async throws -> [SubjectHash]? {
        let box = box
        let rows: [Row]? = try await store.write { transaction in
            var rows = try Self.rows(transaction)
            if forgettingOldest, rows.count >= SubjectKeyRing.secretsMax, let oldest = rows.last {
                rows = try transaction.forgetSecret(oldest.number)
            }
            guard rows.count < SubjectKeyRing.secretsMax, let newest = rows.first else {
                return nil
            }
            let number = newest.number + 1
            try transaction.execute(
                "UPDATE subject_secret SET until_ms = ? WHERE number = ?",
                [SQLValue(transaction.at), .integer(newest.number)])
            try transaction.execute(
                "INSERT INTO subject_secret (number, secret, since_ms) VALUES (?, ?, ?)",
                [
                    .integer(number), .blob(try box.seal(secret, at: .subjectSecret(number))),
                    SQLValue(transaction.at),
                ])
            try transaction.audit(AuditEvent(.subjectSecretMade, attempt: number))
            return try Self.rows(transaction)
        }
        return try rows?.map(open)
    }

    /// Deletes a former secret.
    /// - Returns: the remaining ones.
    func remove(_ number: Int64) async throws -> [SubjectHash] {
        try await store.write { try $0.forgetSecret(number) }.map(open)
    }

    private func open(_ row: Row) throws -> SubjectHash {
        let key =
            try row.sealed.map { sealed in
                KeyedHash(key: try box.openSecret(sealed, at: .subjectSecret(row.number)))
            } ?? first
        return SubjectHash(key, number: row.number, since: row.since, until: row.until)
    }

    fileprivate static func rows(_ session: some SQLSession) throws -> [Row] {
        try session.query(
            "SELECT number, secret, since_ms, until_ms FROM subject_secret ORDER BY number DESC"
        ) { row in
            Row(
                number: try row.integer(0), sealed: try row.optionalBlob(1),
                since: try row.timestamp(2), until: try row.optionalTimestamp(3))
        }
    }
}

extension Transaction {
    /// Deletes a former secret, with an audit event.
    /// - Returns: the remaining ones.
    fileprivate func forgetSecret(_ number: Int64) throws -> [SubjectKeyStore.Row] {
        let count = try execute(
            "DELETE FROM subject_secret WHERE number = ? AND until_ms IS NOT NULL",
            [.integer(number)])
        if count > 0 { try audit(AuditEvent(.subjectSecretForgotten, attempt: number)) }
        return try SubjectKeyStore.rows(self)
    }
}

extension SealedPlace {
    /// The place of the sealed secret with that number.
    static func subjectSecret(_ number: Int64) -> SealedPlace {
        SealedPlace(table: "subject_secret", column: "secret", row: number)
    }
}
