import CallRecords
import Messages
import ServiceRuntime
import Storage

/// What makes nonces and checks what an app has of a provider's dialog.
protocol ProviderTokens: Sendable {
    /// A nonce for one sign-in.
    /// - Throws: `auth/operation-not-allowed` where the operator has set up no such provider.
    func nonce(forProvider name: String) throws -> IdentityV1.IssueNonceResponse

    /// Whom a token proves.
    /// - Throws: `auth/operation-not-allowed`, `auth/missing-or-invalid-nonce`,
    ///   `auth/invalid-provider-token`, `auth/provider-unavailable`.
    func identity(provedBy token: IdentityV1.ProviderToken) async throws -> ProvedIdentity
}

extension Providers: ProviderTokens {
    func nonce(forProvider name: String) throws -> IdentityV1.IssueNonceResponse {
        nonces.issue(for: try provider(named: name))
    }

    func identity(provedBy token: IdentityV1.ProviderToken) async throws -> ProvedIdentity {
        try await check.identity(provedBy: token)
    }
}

/// Checks tokens, and records those that were refused.
struct RecordedTokens: Sendable {
    let parts: IdentityParts
    let tokens: any ProviderTokens

    /// Whom a token proves.
    /// - Parameter account: whose session hands it in; nil outside a session.
    /// - Throws: as `ProviderTokens`; `rpc/invalid-argument` where there is none.
    func identity(
        provedBy token: IdentityV1.ProviderToken?, for account: AccountID?,
        from origin: IdentityV1.Origin?
    ) async throws -> ProvedIdentity {
        guard let token else { throw ServiceError(.invalidArgument, fields: ["token"]) }
        do {
            return try await tokens.identity(provedBy: token)
        } catch let error as ServiceError where Self.tellsOfTheToken(error.code) {
            let origin = CallOrigin(origin, hash: parts.keys.audit)
            try await parts.store.write { transaction in
                guard let account else {
                    return try transaction.auditCounted(
                        .signInFailed, outcome: error.code, from: origin)
                }
                try transaction.audit(
                    AuditEvent(.signInFailed, account: account.key, outcome: error.code)
                        .from(origin))
            }
            throw error
        }
    }

    /// A provider that cannot be reached, or is not set up, says nothing of who asks.
    private static func tellsOfTheToken(_ code: ErrorCode) -> Bool {
        code == .invalidProviderToken || code == .invalidNonce
    }
}
