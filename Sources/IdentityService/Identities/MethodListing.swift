import Messages
import ServiceRuntime
import Storage

/// Lists an account's sign-in methods for its owner (G-14).
struct MethodListing: Sendable {
    let parts: IdentityParts

    /// The methods, oldest first. A password dates from its last change.
    /// - Throws: `auth/invalid-access-token` if the account does not exist any more.
    func methods(of account: AccountID) async throws -> [IdentityV1.SignInMethod] {
        let (row, identities, passwordSetAt) = try await parts.store.read { session in
            (
                try session.account(account), try session.identities(of: account),
                try session.passwordSetAt(account)
            )
        }
        guard let row else { throw ServiceError(.invalidAccessToken) }
        let vault = try AccountReader(parts: parts).vault(row)
        var methods = try identities.map { identity in
            let details = try IdentityDetails(
                text: try vault.open(identity.sealedDetails, .identityDetails(identity.identity)))
            return IdentityV1.SignInMethod(
                method: identity.method, addedAtMs: identity.linkedAt.milliseconds,
                hint: details.hint(method: identity.method))
        }
        if let passwordSetAt, let address = row.address {
            methods.append(
                IdentityV1.SignInMethod(
                    method: "password", addedAtMs: passwordSetAt.milliseconds,
                    hint: try vault.open(address.sealed, .address)))
        }
        return methods.sorted { ($0.addedAtMs, $0.method) < ($1.addedAtMs, $1.method) }
    }
}
