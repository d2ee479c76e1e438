import Messages

extension IdentityV1.ProviderToken {
    /// The result of a provider's dialog, as the identity service takes it.
    init(_ token: GatewayV1.ProviderToken) {
        self.init(
            provider: token.provider, idToken: token.idToken, nonce: token.nonce,
            authorizationCode: token.authorizationCode, displayName: token.displayName)
    }
}
