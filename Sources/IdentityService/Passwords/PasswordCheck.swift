import Cryptography
import ServiceRuntime

/// Checks a password against what an account has, one hash in every case (G-03): whoever measures
/// an answer learns nothing of whether there is such an account, or whether it has a password.
struct PasswordCheck: Sendable {
    let parts: IdentityParts

    /// Whether `password` is the holder's; false where there is none.
    /// - Throws: `rpc/resource-exhausted` with a time to wait when too many wait for the hash.
    func isRight(_ password: Password, of holder: PasswordHolder?) async throws -> Bool {
        guard let holder, let sealedHash = holder.sealedHash else {
            try await parts.passwords.verifyAgainstNothing(password: password.bytes)
            return false
        }
        let stored = try AccountReading(parts: parts).vault(holder.row)
            .open(sealedHash, .passwordHash)
        return try await parts.passwords.verify(password: password.bytes, against: stored)
    }

    /// A stronger hash of the holder's password, where the stored one is weaker than what is made
    /// today (I-03); sealed. `password` must have been found right.
    func upgrade(_ password: Password, of holder: PasswordHolder) async throws -> [UInt8]? {
        guard let sealedHash = holder.sealedHash else { return nil }
        let vault = try AccountReading(parts: parts).vault(holder.row)
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
