import Messages

/// An authorization code of Apple's, as an app handed it on with its ID token.
struct GrantCode: Hashable, Sendable {
    /// Longer ones are no codes; Apple's have below 100 bytes.
    private static let bytesMax = 512

    /// The app that the ID token, and so the code, was given to.
    let client: String
    let code: String

    /// The code that came with a checked token; nil for none, and for a provider whose codes are not
    /// exchanged.
    init?(of token: IdentityV1.ProviderToken, to identity: ProvedIdentity) {
        guard token.provider == BuiltInProvider.apple.rawValue else { return nil }
        self.init(token.authorizationCode, client: identity.audience)
    }

    /// Nil for what is no code: the sign-in goes on without.
    init?(_ code: String, client: String) {
        guard (1...Self.bytesMax).contains(code.utf8.count),
            code.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.client = client
        self.code = code
    }
}
