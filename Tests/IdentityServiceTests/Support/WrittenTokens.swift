import Addresses
import Contracts
import Cryptography
import Messages
import ServiceRuntime

@testable import IdentityService

/// Providers whose tokens name the identity in plain text, so that tests need no signatures:
/// "subject|email|verified|relay", and "|mfa" if two proofs were given there.
struct WrittenTokens: ProviderTokens {
    /// A token of `provider` for `subject`.
    static func token(
        _ provider: String = "google", _ subject: String, email: String = "",
        isVerified: Bool = true, isRelay: Bool = false, nonce: String = "", name: String = ""
    ) -> GatewayV1.ProviderToken {
        .init(
            provider: provider, idToken: "\(subject)|\(email)|\(isVerified)|\(isRelay)",
            nonce: nonce, displayName: name)
    }

    func nonce(forProvider name: String) throws -> GatewayV1.IssueNonceResponse {
        .init(nonce: "nonce of \(name)")
    }

    func identity(provedBy token: GatewayV1.ProviderToken) async throws -> ProvedIdentity {
        guard BuiltInProvider(rawValue: token.provider) != nil else {
            throw ServiceError(.operationNotAllowed)
        }
        let words = token.idToken.split(separator: "|", omittingEmptySubsequences: false)
        guard (4...5).contains(words.count) else { throw ServiceError(.invalidProviderToken) }
        var proved = ProvedIdentity(
            method: .provider(token.provider), issuer: "https://\(token.provider).example",
            subject: String(words[0]))
        proved.email = EmailAddress(String(words[1])).map {
            ProvedIdentity.Email(
                address: $0, isVerified: words[2] == "true", isRelay: words[3] == "true")
        }
        proved.displayName = token.displayName
        proved.hasBothProofs = words.count == 5
        if !token.nonce.isEmpty {
            proved.nonce = UsedNonce(
                key: Array(SHA256.hash(Array(token.nonce.utf8)).prefix(16)),
                expiresAt: Timestamp(milliseconds: 4_000_000_000_000), isIssued: true)
        }
        return proved
    }
}
