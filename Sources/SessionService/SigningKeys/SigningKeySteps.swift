import Cryptography
import ServiceRuntime
import Storage

/// Generates signing keys to be stored.
struct SigningKeyMaker: Sendable {
    /// Seals their private numbers.
    let box: SealedBox
    let randomness: any Randomness

    /// A new key that signs at once, or is only announced.
    func make(_ state: SigningKeyState, at moment: Timestamp) throws -> StoredSigningKey {
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
    func take(_ step: SigningKeySchedule.Step, _ maker: SigningKeyMaker) throws {
        switch step {
        case .announce: try add(maker.make(.passive, at: at), .signingKeyMade)
        case .start:
            try makeActiveSigningKeyPassive()
            try add(maker.make(.active, at: at), .signingKeyMade)
        case .activate(let id):
            try makeActiveSigningKeyPassive()
            try activateSigningKey(id)
            try audit(id, .signingKeyActivated)
        case .retire(let id):
            try retireSigningKey(id, isRevoked: false)
            try audit(id, .signingKeyRetired)
        }
    }

    /// Takes every step that is due, and returns the resulting keys.
    func takeDue(
        _ schedule: SigningKeySchedule, _ maker: SigningKeyMaker
    ) throws -> [StoredSigningKey] {
        var keys = try signingKeys()
        while let step = schedule.step(keys, at: at) {
            try take(step, maker)
            keys = try signingKeys()
        }
        return keys
    }

    /// Revokes a key, retired or not: its tokens are invalid from this commit on.
    func revoke(_ key: StoredSigningKey) throws {
        try retireSigningKey(key.id, isRevoked: true)
        try audit(key.id, .signingKeyRevoked)
    }

    private func add(_ key: StoredSigningKey, _ kind: AuditKind) throws {
        try insert(key)
        try audit(key.id, kind)
    }

    /// Audit records name keys by their rows, which keep the public keys for good.
    private func audit(_ key: Int64, _ kind: AuditKind) throws {
        try audit(AuditEvent(kind, attempt: key))
    }
}
