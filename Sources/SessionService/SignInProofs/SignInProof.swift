import Contracts
import Messages
import ServiceRuntime

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

    /// Parses a proof; nil unless identity has sealed it, and for contents that identity would not
    /// produce.
    init?(_ message: IdentityV1.SignInProof?, seal: SignInProofSeal) {
        guard let message, seal.isGenuine(message),
            let account = AccountID(text: message.accountId),
            message.nonce.count == Self.nonceBytes, !message.amr.isEmpty,
            message.amr.allSatisfy(SessionProofs.canKeep)
        else { return nil }
        self.account = account
        methods = message.amr
        authenticatedAt = Timestamp(milliseconds: message.authTimeMs)
        provedAt = Timestamp(milliseconds: message.provedAtMs)
        nonce = message.nonce
    }
}
