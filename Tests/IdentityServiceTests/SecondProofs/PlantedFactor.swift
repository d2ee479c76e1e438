import Cryptography
import ServiceRuntime
import Storage
import Testing

@testable import IdentityAssembly
@testable import IdentityService

/// An authenticator app and recovery codes of an account, as if its owner had set them up.
struct PlantedFactor: Sendable {
    let secret: SecretBytes
    let recoveryCodes: [RecoveryCode]

    /// The code that the app shows at a moment.
    func code(at moment: Timestamp) -> SecretBytes {
        SecretBytes(copying: TOTP.code(of: secret, at: TOTP.step(at: moment)))
    }

    /// A recovery code, as its owner types it.
    func recoveryCode(_ number: Int) -> SecretBytes { SecretBytes(recoveryCodes[number].shown) }
}

extension IdentityFixture {
    /// Gives an account a second factor.
    func plantFactor(in account: String) async throws -> PlantedFactor {
        let id = try #require(AccountID(text: account))
        let (factor, writer) = (FactorID.drawn(from: randomness), service.core.writer)
        let secret = SecretBytes.generate(count: TOTP.secretBytes, randomness: randomness)
        let codes = try await store.write(about: [.account(id)]) { transaction in
            let row = try transaction.callersRow(id)
            try transaction.insert(
                NewSecondFactor(
                    AuthenticatorApp(secret: secret, name: "phone"), as: factor,
                    in: writer.reader.vault(row), lastStep: 0), of: id)
            return try writer.makeRecoveryCodes(of: id, from: .unknown, transaction)
        }
        return PlantedFactor(secret: secret, recoveryCodes: codes)
    }
}
