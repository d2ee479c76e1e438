package import ServiceRuntime

extension CallContext {
    private static let scheme = "bearer "

    /// The access token of the metadata, as sent; nil without one.
    /// - Throws: `rpc/invalid-argument` with `authorization` for two entries, for another scheme
    ///   than Bearer, and without a token.
    package func accessToken() throws(ServiceError) -> String? {
        let entries = metadata.entries.filter { $0.key == Metadata.Key.authorization }
        guard let entry = entries.first else { return nil }
        guard entries.count == 1, let text = String(validating: entry.value, as: UTF8.self),
            text.prefix(Self.scheme.count).lowercased() == Self.scheme,
            text.utf8.count > Self.scheme.utf8.count
        else {
            throw ServiceError.invalidArgument(
                Metadata.Key.authorization, "Send one: Bearer and the access token.")
        }
        return String(text.dropFirst(Self.scheme.count))
    }

    /// The access token of a call that requires a session (`SESSION_REQUIRED`).
    /// - Throws: `auth/invalid-access-token` without one; as `accessToken`.
    package func requiredAccessToken() throws(ServiceError) -> String {
        if let token = try accessToken() { return token }
        var error = ServiceError(.invalidAccessToken)
        error.violations = [
            ServiceError.Violation(
                field: Metadata.Key.authorization,
                sentence: "It is absent: send Bearer and the access token.")
        ]
        throw error
    }
}
