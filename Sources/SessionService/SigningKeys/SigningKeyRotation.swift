import Cryptography
import Logging
import ServiceRuntime
import Storage

/// Changes the signing keys: by the schedule, and by the operator's word (S-01). A change is in the
/// store before it is in force, and followers are told of it at once.
struct SigningKeyRotation: Sendable {
    /// How often the schedule is looked at. What it does is due in days.
    static let lookEvery: Duration = .seconds(60)

    let store: Store
    let keys: KeysInForce
    let schedule: SigningKeySchedule
    let maker: SigningKeyMaker
    let time: any Time
    let logger: Logger
    /// Wakes who tells followers.
    let wakeSignal: RevocationSignal

    /// Follows the schedule until cancelled.
    func run() async throws {
        while true {
            do {
                try await takeDue()
            } catch {
                // A store that takes no writes just now; the key that signs goes on signing.
                logger.warning(
                    "session.signing_keys.rotate.failed",
                    "checking or rotating signing keys failed", fields: [.detail: .error(error)])
            }
            try await time.sleep(for: Self.lookEvery)
        }
    }

    /// Takes the steps that are due; asks the store only if there are any.
    func takeDue() async throws {
        guard schedule.step(keys.current.ring.stored, at: time.now()) != nil else { return }
        try await change { transaction in try transaction.takeDue(schedule, maker) }
    }

    /// Another key signs from now on: the announced one, which is known everywhere already, or a
    /// new one.
    /// - Throws: `auth/too-many-requests`, with the wait, while `keysMax` keys are published.
    func rotate() async throws {
        let schedule = schedule
        try await change { transaction in
            let keys = try transaction.signingKeys()
            if let wait = schedule.rotationWait(keys, at: transaction.at) {
                throw ServiceError(
                    .tooManyRequests, retryAfter: wait,
                    detail: "\(keys.count) signing keys are published")
            }
            let announced = keys.first { $0.phase == .announced }
            try transaction.take(announced.map { .activate($0.id) } ?? .start, maker)
            return try transaction.signingKeys()
        }
    }

    /// Nothing of the key named `identifier` verifies any more, and not even an expired token of
    /// its tells anything. One that is revoked already stays so, and that is no error.
    /// - Throws: `rpc/not-found`.
    func revoke(_ identifier: String) async throws {
        try await change { transaction in
            let known = try transaction.latestSigningKeys(.max)
            guard
                let key = try known.first(where: {
                    try $0.verifyingKey.identifier == identifier
                })
            else { throw ServiceError(.notFound, fields: ["key_id"]) }
            if !key.isRevoked { try transaction.revoke(key) }
            return try transaction.takeDue(schedule, maker)
        }
    }

    private func change(
        _ flow: @escaping @Sendable (Transaction) throws -> [StoredSigningKey]
    ) async throws {
        let (ring, version) = try await store.write { transaction in
            let stored = try flow(transaction)
            let ring = try SigningKeyRing(
                stored, retired: try transaction.retiredSigningKeys(), box: maker.box)
            return (ring, keys.nextVersion())
        }
        keys.replace(with: ring, version: version)
        wakeSignal.wake()
        logger.info(
            "session.signing_keys.changed", "signing keys changed",
            fields: [.key: .text(keys.current.ring.active.identifier)])
    }
}
