import Cryptography
import Logging
import ServiceRuntime
import Storage
import Synchronization

/// The current and former secrets, and the tables that use them.
final class SubjectKeys: Sendable {
    private let store: Store
    private let keys: RateLimitKeys
    private let held: Mutex<SubjectKeyRing>
    private let tables = Mutex<[LimitTable]>([])
    private let randomness: any Randomness
    private let logger: Logger

    /// - Throws: `StoreError`; `SealedBoxError` if a secret was sealed under another key.
    init(
        _ keys: RateLimitKeys, in store: Store, randomness: any Randomness, logger: Logger
    ) async throws {
        self.store = store
        self.keys = keys
        self.randomness = randomness
        self.logger = logger
        let secrets = try await store.read { try $0.subjectSecrets() }
        held = Mutex(try Self.ring(secrets.map { try $0.open(with: keys) }))
    }

    /// The current and former secrets.
    var ring: SubjectKeyRing { held.withLock { $0 } }

    /// Makes a table use them; called before its first decision.
    func attach(_ table: LimitTable) {
        table.use(ring.number)
        tables.withLock { $0.append(table) }
    }

    /// Makes new states go under another secret.
    /// - Parameter forgettingOldest: if there are too many, the oldest secret is deleted. What
    ///   counts under it then starts over.
    /// - Throws: `auth/too-many-requests` with the field `forget_oldest` if there are too many,
    ///   which are still looked up; the errors of the store.
    func rotate(at now: Timestamp, forgettingOldest: Bool = false) async throws {
        await prune(at: now)
        let secret = SecretBytes.generate(count: SecretFile.keyBytes, randomness: randomness)
        guard let next = try await add(secret, forgettingOldest: forgettingOldest)
        else {
            throw ServiceError(
                .tooManyRequests, retryAfter: wait(at: now), fields: ["forget_oldest"])
        }
        try adopt(next)
        logger.info("limits.subject_key.rotated", "the key that hashes subjects was rotated")
    }

    /// Deletes the former secrets that are no longer looked up.
    func prune(at now: Timestamp) async {
        for former in ring.formers where former.isSpent(at: now) {
            do {
                try adopt(try await remove(former.number))
                logger.info("limits.subject_key.removed", "a former subject key was deleted")
            } catch {
                if Task.isCancelled { return }
                // The next sweep tries again. It is not looked up until then either.
                logger.warning(
                    "limits.subject_key.remove.failed", "deleting a former subject key failed",
                    fields: [.detail: .error(error)])
            }
        }
    }

    /// Tables and callers change together: calls that read the secrets meanwhile wait. Then what
    /// nothing finds any more is dropped. A crash before that leaves these states in
    /// the table: they use capacity, and no request is denied by them.
    private func adopt(_ secrets: [SubjectHash]) throws {
        let next = try Self.ring(secrets)
        let tables = tables.withLock { $0 }
        let deleted = held.withLock { ring -> [SubjectHash] in
            // Another rotation may have become current in the meantime.
            guard next.number >= ring.number else { return [] }
            let left = Set(next.formers.map(\.number))
            let deleted = ring.formers.filter { !left.contains($0.number) }
            for table in tables { table.use(next.number) }
            ring = next
            return deleted
        }
        for until in deleted.compactMap(\.until) {
            for table in tables {
                table.dropEndless(begunBefore: until - SubjectKeyRing.changeover)
            }
        }
    }

    /// The time until the oldest secret is deleted.
    private func wait(at now: Timestamp) -> Duration {
        guard let until = ring.formers.last?.until else { return SubjectKeyRing.formerLife }
        return max(.seconds(1), until + SubjectKeyRing.formerLife - now)
    }

    private static func ring(_ secrets: [SubjectHash]) throws -> SubjectKeyRing {
        guard let ring = SubjectKeyRing(secrets) else {
            throw ServiceError(.internalError, detail: "no secret of subjects is stored")
        }
        return ring
    }
}

/// The secrets are stored sealed, in the same store as the audit trail. The first one, number 0, is
/// derived from the service's own key, and its row has no secret.
extension SubjectKeys {
    /// Makes `secret` the current one.
    /// - Parameter forgettingOldest: deletes the oldest one if there are `secretsMax` already.
    /// - Returns: the secrets, the newest first; nil if there are `secretsMax` already.
    private func add(
        _ secret: SecretBytes, forgettingOldest: Bool
    ) async throws -> [SubjectHash]? {
        let box = keys.secrets
        let rows: [StoredSecret]? = try await store.write(about: [.table("subject_secret")]) {
            transaction in
            var rows = try transaction.subjectSecrets()
            if forgettingOldest, rows.count >= SubjectKeyRing.secretsMax, let oldest = rows.last {
                rows = try transaction.forgetSecret(oldest.number)
            }
            guard rows.count < SubjectKeyRing.secretsMax, let newest = rows.first else {
                return nil
            }
            let number = newest.number + 1
            try transaction.put(
                "UPDATE subject_secret SET until_ms = ? WHERE number = ?",
                [SQLValue(transaction.at), .integer(newest.number)])
            try transaction.put(
                "INSERT INTO subject_secret (number, secret, since_ms) VALUES (?, ?, ?)",
                [
                    .integer(number), .blob(try box.seal(secret, at: .subjectSecret(number))),
                    SQLValue(transaction.at),
                ])
            try transaction.audit(AuditEvent(.subjectSecretMade, attempt: number))
            return try transaction.subjectSecrets()
        }
        return try rows?.map { try $0.open(with: keys) }
    }

    /// Deletes a former secret.
    /// - Returns: the remaining ones.
    private func remove(_ number: Int64) async throws -> [SubjectHash] {
        try await store.write(about: [.table("subject_secret")]) { try $0.forgetSecret(number) }.map
        { try $0.open(with: keys) }
    }
}

/// A secret as it is stored.
private struct StoredSecret: Sendable {
    let number: Int64
    /// Nil for number 0.
    let sealed: [UInt8]?
    let since: Timestamp
    let until: Timestamp?

    func open(with keys: RateLimitKeys) throws -> SubjectHash {
        let key =
            try sealed.map { sealed in
                KeyedHash(key: try keys.secrets.openSecret(sealed, at: .subjectSecret(number)))
            } ?? keys.subjects
        return SubjectHash(key, number: number, since: since, until: until)
    }
}

extension SQLSession {
    /// The secrets, the newest first.
    fileprivate func subjectSecrets() throws -> [StoredSecret] {
        try query(
            "SELECT number, secret, since_ms, until_ms FROM subject_secret ORDER BY number DESC"
        ) { row in
            StoredSecret(
                number: try row.integer("number"), sealed: try row.optionalBlob("secret"),
                since: try row.timestamp("since_ms"), until: try row.optionalTimestamp("until_ms"))
        }
    }
}

extension Transaction {
    /// Deletes a former secret, with an audit event.
    /// - Returns: the remaining ones.
    fileprivate func forgetSecret(_ number: Int64) throws -> [StoredSecret] {
        let count = try execute(
            "DELETE FROM subject_secret WHERE number = ? AND until_ms IS NOT NULL",
            [.integer(number)])
        if count > 0 { try audit(AuditEvent(.subjectSecretForgotten, attempt: number)) }
        return try subjectSecrets()
    }
}

extension SealedPlace {
    /// The place of the sealed secret with that number.
    static func subjectSecret(_ number: Int64) -> SealedPlace {
        SealedPlace(table: "subject_secret", column: "secret", row: number)
    }
}
