import Cryptography
import ServiceRuntime

/// Checks a password against what an account has, one hash in every case (G-03): whoever measures
/// an answer learns nothing of whether there is such an account, or whether it has a password.
struct PasswordCheck: Sendable {
    let parts: IdentityParts

    /// Whether `password` is the holder's; false where there is none. Where it is not, the answer
    /// waits until the slot of the slowest hash that is stored is over (`ResponseTimeFloor`).
    /// - Throws: `rpc/resource-exhausted` with a time to wait when too many wait for the hash.
    func isRight(_ password: Password, of holder: PasswordHolder?) async throws -> Bool {
        let begun = parts.time.uptime()
        let verdict = try await verdict(password, of: holder)
        if !verdict.isRight { try await parts.slots.waitOut(from: begun + verdict.waited) }
        return verdict.isRight
    }

    private func verdict(
        _ password: Password, of holder: PasswordHolder?
    ) async throws -> PasswordHashPool.Verdict {
        guard let holder, let sealedHash = holder.sealedHash else {
            return try await parts.passwords.verifyAgainstNothing(password: password.bytes)
        }
        let stored = try StoredPassword(
            text: AccountReader(parts: parts).vault(holder.row).open(sealedHash, .passwordHash))
        var project: FirebaseProject?
        if let id = stored.firebaseProject {
            project = try await FirebaseProjects(parts: parts).project(id)
        }
        return try await parts.passwords.check(
            password: password.bytes, against: stored, of: project)
    }

    /// A stronger hash of the holder's password, where the stored one is weaker than what is made
    /// today (I-03); sealed. `password` must have been found right.
    func upgrade(_ password: Password, of holder: PasswordHolder) async throws -> [UInt8]? {
        guard let sealedHash = holder.sealedHash else { return nil }
        let vault = try AccountReader(parts: parts).vault(holder.row)
        let stored = try vault.open(sealedHash, .passwordHash)
        guard try parts.passwords.needsUpgrade(stored) else { return nil }
        return try await hash(password, vault)
    }

    /// The hash of a password that is to be the account's; sealed.
    func hash(_ password: Password, _ vault: AccountVault) async throws -> [UInt8] {
        try vault.seal(
            try await parts.passwords.hash(password: password.bytes), .passwordHash)
    }
}

extension ServiceError {
    /// The error where the store fails after a password was compared, right or wrong: one shape for
    /// both. Attack: a store whose queue is full says "not processed" of its own part; the gateway
    /// would take that for a password that was not compared, and give the guess back.
    var afterComparison: ServiceError {
        ServiceError(.unavailable, retryAfter: retryAfter, fields: ["store"], detail: detail)
    }
}
