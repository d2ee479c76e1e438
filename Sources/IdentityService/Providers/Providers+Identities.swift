package import Messages
import ServiceRuntime

extension Providers: ProviderTokens {
    func nonce(forProvider name: String) throws -> IdentityV1.IssueNonceResponse {
        nonces.issue(for: try provider(named: name))
    }

    func identity(provedBy token: IdentityV1.ProviderToken) async throws -> ProvedIdentity {
        try await check.identity(provedBy: token)
    }
}

extension Identities {
    /// The rpcs of `service`'s store, for tokens of `providers`.
    package init(of service: IdentityService, providers: Providers) {
        self.init(of: service, tokens: providers)
    }
}

extension Providers {
    /// A nonce of ours, for measures of the check alone.
    package func issueNonce(for name: String) throws -> String {
        try nonce(forProvider: name).nonce
    }

    /// Checks a token as a sign-in does, and nothing more, for measures.
    /// - Returns: the subject that it proves.
    package func subject(provedBy token: IdentityV1.ProviderToken) async throws -> String {
        try await check.identity(provedBy: token).subject
    }
}
