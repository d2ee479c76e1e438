import Contracts
import Messages
import ServiceRuntime

/// Makes identity's word that an account has proved itself, for the session service (G-03).
struct ProofMaking: Sendable {
    private static let nonceBytes = 16

    let parts: IdentityParts

    /// A proof for a password that was found right at `moment`.
    func proof(
        _ account: AccountID, by methods: [String] = ["pwd"], provedAt moment: Timestamp
    ) -> IdentityV1.SignInProof {
        parts.keys.proofs.seal(
            IdentityV1.SignInProof(
                accountId: account.text, amr: methods, authTimeMs: moment.milliseconds,
                provedAtMs: moment.milliseconds, nonce: parts.randomness.bytes(Self.nonceBytes)))
    }
}
