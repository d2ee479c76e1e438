import Cryptography
import Logging
import ServiceRuntime
import Storage

/// Rotates the signing keys, by the schedule and on the operator's request (S-01). A change is
/// stored before it takes effect, and followers are notified at once.
struct SigningKeyRotation: Sendable {
    /// How often the schedule is checked. Its steps are days apart.
    static let lookEvery: Duration = .seconds(60)

    let store: Store
    let keys: CurrentSigningKeys
    let schedule: SigningKeySchedule
    let generator: SigningKeyGenerator
    let time: any Time
    let logger: Logger
    /// Wakes the relay that notifies followers.
    let wakeSignal: WakeSignal

    /// Follows the schedule. While the store rejects writes the active key continues to sign.
    var duty: Duty {
        Duty("signing-keys", every: Self.lookEvery) {
            try await takeDue()
            return false
        }
    }

    /// Takes the steps that are due; accesses the store only if there are any.
    func takeDue() async throws {
        guard schedule.step(keys.current.ring.stored, at: time.now()) != nil else { return }
        try await change { transaction in try transaction.takeDue(schedule, generator) }
    }

    /// Activates another key: the announced one, which verifiers already know, or a new one.
    /// - Parameter actor: who asked.
    /// - Throws: `auth/too-many-requests`, with the wait, while `keysMax` keys are published.
    func rotate(by actor: String) async throws {
        let schedule = schedule
        try await change { transaction in
            let keys = try transaction.signingKeys()
            if let wait = schedule.rotationWait(keys, at: transaction.at) {
                throw ServiceError(
                    .tooManyRequests, retryAfter: wait,
                    detail: "\(keys.count) signing keys are published")
            }
            let announced = keys.first { $0.phase == .announced }
            try transaction.take(
                announced.map { .activate($0.id) } ?? .start, generator, by: actor)
        }
    }

    /// Revokes the key named `identifier`: its tokens no longer verify, and the claims of its
    /// expired tokens are no longer read. Revoking a revoked key is no error.
    /// - Parameter actor: who asked.
    /// - Throws: `rpc/not-found`.
    func revoke(_ identifier: String, by actor: String) async throws {
        try await change { transaction in
            let known = try transaction.latestSigningKeys(.max)
            guard
                let key = try known.first(where: {
                    try $0.verifyingKey.identifier == identifier
                })
            else { throw ServiceError(.notFound, fields: ["key_id"]) }
            if !key.isRevoked { try transaction.revoke(key, by: actor) }
            try transaction.takeDue(schedule, generator)
        }
    }

    private func change(
        _ flow: @escaping @Sendable (Transaction) throws -> Void
    ) async throws {
        let ring = try await store.write(about: SigningKeyRing.subjects) { transaction in
            try flow(transaction)
            return try SigningKeyRing(in: transaction, box: generator.box)
        }
        keys.replace(with: ring)
        wakeSignal.wake()
        logger.info(
            "session.signing_keys.changed", "signing keys changed",
            fields: [.key: .text(keys.current.ring.active.identifier)])
    }
}

/// Generates signing keys to be stored.
struct SigningKeyGenerator: Sendable {
    /// Seals their private numbers.
    let box: SealedBox
    let randomness: any Randomness

    /// A new key that signs at once, or is only announced.
    func make(_ state: StoredSigningKey.State, at moment: Timestamp) throws -> StoredSigningKey {
        let key = try SigningKey.generate()
        let id = randomness.rowKey()
        return StoredSigningKey(
            id: id, state: state, x: key.verifyingKey.x, y: key.verifyingKey.y,
            privateNumber: try box.seal(key.scalar(), at: .signingKey(id)), madeAt: moment,
            activeAt: state == .active ? moment : nil)
    }
}

extension Transaction {
    /// Takes a step of the schedule, with its audit record.
    /// - Parameter actor: who asked; nil for the schedule.
    func take(
        _ step: SigningKeySchedule.Step, _ generator: SigningKeyGenerator, by actor: String? = nil
    ) throws {
        try raiseSigningKeysVersion()
        switch step {
        case .announce: try add(generator.make(.passive, at: at), .signingKeyMade, by: actor)
        case .start:
            try makeActiveSigningKeyPassive()
            try add(generator.make(.active, at: at), .signingKeyMade, by: actor)
        case .activate(let id):
            try makeActiveSigningKeyPassive()
            try activateSigningKey(id)
            try audit(id, .signingKeyActivated, by: actor)
        case .retire(let id):
            try retireSigningKey(id, isRevoked: false)
            try audit(id, .signingKeyRetired, by: actor)
        }
    }

    /// Takes every step that is due.
    func takeDue(_ schedule: SigningKeySchedule, _ generator: SigningKeyGenerator) throws {
        while let step = schedule.step(try signingKeys(), at: at) { try take(step, generator) }
    }

    /// Revokes a key, retired or not: its tokens are invalid from this commit on.
    func revoke(_ key: StoredSigningKey, by actor: String? = nil) throws {
        try raiseSigningKeysVersion()
        try retireSigningKey(key.id, isRevoked: true)
        try audit(key.id, .signingKeyRevoked, by: actor)
    }

    private func add(_ key: StoredSigningKey, _ kind: AuditKind, by actor: String?) throws {
        try insert(key)
        try audit(key.id, kind, by: actor)
    }

    /// Audit records name a key by its `kid`, and by its row, which keeps the public key for good.
    private func audit(_ key: Int64, _ kind: AuditKind, by actor: String?) throws {
        let identifier = try signingKey(key)?.verifyingKey.identifier
        try audit(
            AuditEvent(kind, subject: identifier.map { Array($0.utf8) }, attempt: key).by(actor))
    }
}
