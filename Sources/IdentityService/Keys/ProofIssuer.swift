import Contracts
import Messages
import ServiceRuntime

/// Makes identity's word that an account has proved itself, for the session service (G-03).
struct ProofIssuer: Sendable {
    private static let nonceBytes = 16
    /// Proofs of the millisecond in which an account's sessions end, end with them
    /// (`IdentityOutbox.endAccount`); one that is made this much later is the first that stays.
    static let afterEnd: Duration = .milliseconds(1)

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
