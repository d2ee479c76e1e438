package import Messages

extension Providers {
    /// Issues a nonce, for benchmarks of the token check.
    /// - Throws: `auth/operation-not-allowed` when no provider of that name is configured.
    package func issueNonce(for name: String) throws -> String {
        try nonce(forProvider: name).nonce
    }

    /// Verifies a token as a sign-in does and writes nothing, for benchmarks.
    /// - Returns: the subject that it proves.
    /// - Throws: as `ProviderTokenCheck.identity`.
    package func subject(provedBy token: IdentityV1.ProviderToken) async throws -> String {
        try await check.identity(provedBy: token).subject
    }
}
