import Messages

extension IdentityV1.ProviderToken {
    /// What a caller has of a provider's dialog, as identity takes it.
    init(_ token: GatewayV1.ProviderToken) {
        self.init(
            provider: token.provider, idToken: token.idToken, nonce: token.nonce,
            authorizationCode: token.authorizationCode, displayName: token.displayName)
    }
}
