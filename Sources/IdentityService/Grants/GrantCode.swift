import Messages

/// An authorization code from Apple, which an app passed on with its ID token.
struct GrantCode: Hashable, Sendable {
    /// Longer values are rejected; Apple's codes have fewer than 100 bytes.
    private static let bytesMax = 512

    /// The client id that the ID token, and therefore the code, was issued to.
    let client: String
    let code: String

    /// The code that came with a verified token; nil if there is none, or if the provider's codes
    /// are not exchanged.
    init?(of token: IdentityV1.ProviderToken, to identity: ProvedIdentity) {
        guard token.provider == BuiltInProvider.apple.rawValue else { return nil }
        self.init(token.authorizationCode, client: identity.audience)
    }

    /// Nil for a malformed code: the sign-in continues without it.
    init?(_ code: String, client: String) {
        guard (1...Self.bytesMax).contains(code.utf8.count),
            code.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.client = client
        self.code = code
    }
}
