import Contracts
import Messages
import ServiceRuntime

/// Whether an authentic proof opens a session at `now` (`SignInProofSeal` defines proofs). Pure:
///
///     proved                               opens
///     more than `clockLeeway` after now    no: identity's clock cannot be that far ahead
///     more than `life` before now          no: too old
///     from before an end (`AccountEnd`)    no: the sign-in began before a password reset
///     otherwise                            yes, once (`Transaction.useProof`)
enum SignInProofRule {
    /// How long a proof is valid: a gateway forwards it at once.
    static let life: Duration = .seconds(30)
    /// How far identity's clock may be ahead of ours.
    static let clockLeeway: Duration = .seconds(60)

    /// - Parameter accountEnd: the account's latest ends; nil where none is known.
    static func accepts(
        _ proof: SignInProof, accountEnd: AccountEnd?, at now: Timestamp
    ) -> Bool {
        if proof.provedAt > now + clockLeeway { return false }
        if now > staleAfter(proof) { return false }
        guard let accountEnd else { return true }
        return !accountEnd.covers(provedAt: proof.provedAt, generation: proof.generation)
    }

    /// The last moment at which a proof is valid.
    static func staleAfter(_ proof: SignInProof) -> Timestamp { proof.provedAt + life }
}

/// A verified sign-in proof: identity confirms that an account's owner has signed in.
struct SignInProof: Hashable, Sendable {
    private static let nonceBytes = 16

    let account: AccountID
    /// Method names from RFC 8176; at least one, each valid for a row.
    let methods: [String]
    let authenticatedAt: Timestamp
    let provedAt: Timestamp
    /// 16 random bytes.
    let nonce: [UInt8]
    /// The account's session generation; 0 from an earlier build.
    let generation: Int64

    /// Parses a proof; nil unless identity has sealed it, and for contents that identity would not
    /// produce.
    init?(_ message: IdentityV1.SignInProof?, seal: SignInProofSeal) {
        guard let message, seal.isGenuine(message),
            let account = AccountID(text: message.accountId),
            message.nonce.count == Self.nonceBytes, !message.amr.isEmpty,
            message.amr.allSatisfy(SessionProofs.isStorable)
        else { return nil }
        self.account = account
        methods = message.amr
        authenticatedAt = Timestamp(milliseconds: message.authTimeMs)
        provedAt = Timestamp(milliseconds: message.provedAtMs)
        nonce = message.nonce
        generation = message.sessionGeneration
    }
}
