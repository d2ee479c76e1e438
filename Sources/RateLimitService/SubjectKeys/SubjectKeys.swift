import Cryptography
import Logging
import ServiceRuntime
import Storage
import Synchronization

/// The current and former secrets, and the tables that use them.
final class SubjectKeys: Sendable {
    private let secrets: SubjectKeyStore
    private let held: Mutex<SubjectKeyRing>
    private let tables = Mutex<[LimitTable]>([])
    private let randomness: any Randomness
    private let logger: Logger

    /// - Throws: `StoreError`; `SealedBoxError` if a secret was sealed under another key.
    init(_ secrets: SubjectKeyStore, randomness: any Randomness, logger: Logger) async throws {
        self.secrets = secrets
        self.randomness = randomness
        self.logger = logger
        held = Mutex(try Self.ring(try await secrets.secrets()))
    }

    /// The current and former secrets.
    var ring: SubjectKeyRing { held.withLock { $0 } }

    /// Makes a table use them; called before its first decision.
    func attach(_ table: LimitTable) {
        table.use(ring.number)
        tables.withLock { $0.append(table) }
    }

    /// Makes new charges go under another secret.
    /// - Parameter forgettingOldest: if there are too many, the oldest secret is deleted. The
    ///   limits and locks of subjects that were counted under it, and not named since, are then
    ///   lifted.
    /// - Throws: `auth/too-many-requests` if the former ones are still needed; the errors of the
    ///   store.
    func rotate(at now: Timestamp, forgettingOldest: Bool = false) async throws {
        let secret = SecretBytes.generate(count: SecretFile.keyBytes, randomness: randomness)
        guard let next = try await secrets.add(secret, forgettingOldest: forgettingOldest)
        else {
            throw ServiceError(.tooManyRequests, retryAfter: patience(at: now))
        }
        try adopt(next)
        logger.info("limits.subject_key.rotated", "the key that hashes subjects was rotated")
    }

    /// Deletes the former secrets that no state needs any more.
    func prune(at now: Timestamp) async {
        let tables = tables.withLock { $0 }
        let ring = ring
        for former in ring.formers {
            guard let until = former.until,
                SubjectKeyRing.isSpent(
                    until: until, at: now,
                    isCharged: { moment in
                        tables.contains { $0.isCharged(before: moment, since: ring.oldest) }
                    })
            else { continue }
            do {
                try adopt(try await secrets.remove(former.number))
                logger.info("limits.subject_key.removed", "a former subject key was deleted")
            } catch {
                // The next sweep tries again; until then it costs a hash.
                logger.warning(
                    "limits.subject_key.remove.failed", "deleting a former subject key failed",
                    fields: [.detail: .error(error)])
            }
        }
    }

    /// Tables and callers change together: calls that read the secrets meanwhile wait.
    private func adopt(_ secrets: [SubjectHash]) throws {
        let next = try Self.ring(secrets)
        let tables = tables.withLock { $0 }
        held.withLock { ring in
            // Another rotation may have become current in the meantime.
            guard next.number >= ring.number else { return }
            for table in tables { table.use(next.number) }
            ring = next
        }
    }

    /// The time until the oldest secret may be deleted.
    private func patience(at now: Timestamp) -> Duration {
        guard let until = ring.formers.last?.until else { return SubjectKeyRing.keptAtLeast }
        let kept = SubjectKeyRing.keptAtLeast + SubjectKeyRing.changeover
        return max(.seconds(3_600), until + kept - now)
    }

    private static func ring(_ secrets: [SubjectHash]) throws -> SubjectKeyRing {
        guard let ring = SubjectKeyRing(secrets) else {
            throw ServiceError(.internalError, detail: "no secret of subjects is stored")
        }
        return ring
    }
}
