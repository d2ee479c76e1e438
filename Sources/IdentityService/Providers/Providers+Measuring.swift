package import Messages

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
