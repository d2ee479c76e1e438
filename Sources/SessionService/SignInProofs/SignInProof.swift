import Contracts
import Messages
import ServiceRuntime

/// Identity's word that an account has proved itself, found genuine and read.
struct SignInProof: Hashable, Sendable {
    private static let nonceBytes = 16

    let account: AccountID
    /// As RFC 8176 names them; at least one, each fit for a row.
    let methods: [String]
    let authenticatedAt: Timestamp
    let provedAt: Timestamp
    /// 16 random bytes.
    let nonce: [UInt8]

    /// Reads a proof; nil unless identity has sealed it, and for one that identity would not make.
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
