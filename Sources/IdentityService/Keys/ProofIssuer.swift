import Contracts
import Messages
import ServiceRuntime

/// Issues sign-in proofs: identity's authenticated statement to the session service that an
/// account's owner has authenticated (G-03).
struct ProofIssuer: Sendable {
    private static let nonceBytes = 16
    /// Proofs from the millisecond in which an account's sessions end are rejected too
    /// (`IdentityOutbox.endAccount`). A proof that is this much later is the first valid one.
    static let afterEnd: Duration = .milliseconds(1)

    let keys: IdentityKeys
    let randomness: any Randomness

    /// A proof of an authentication at `moment`.
    /// - Parameter methods: The authentication methods as RFC 8176 names them, by default the
    ///   password.
    func proof(
        _ account: AccountID, by methods: [String] = ["pwd"], provedAt moment: Timestamp
    ) -> IdentityV1.SignInProof {
        keys.proofs.seal(
            IdentityV1.SignInProof(
                accountId: account.text, amr: methods, authTimeMs: moment.milliseconds,
                provedAtMs: moment.milliseconds, nonce: randomness.bytes(Self.nonceBytes)))
    }
}
