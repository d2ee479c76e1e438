package import Contracts
package import Messages
package import RPC

/// `postern.gateway.v1.Admin`: accounts for an application's support desk (I-09). Relays each call
/// to the identity service. Which applications may call it is in the gateway's list of callers;
/// whether the identity service accepts the calls is in that service's settings.
package struct AdminHandler: AdminService {
    private let accounts: any AccountAdminAPI

    /// Creates the handler over a client of the identity service.
    package init(accounts: any AccountAdminAPI) {
        self.accounts = accounts
    }

    /// Relays the call, with the calling application in `actor`.
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`, `auth/invalid-email`,
    ///   `rpc/not-found`.
    package func lookUpAccount(
        _ request: IdentityV1.LookUpAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.LookUpAccountResponse {
        try await accounts.lookUpAccount(
            Self.naming(\.actor, of: request, context), context.onward())
    }

    /// Relays the call, with the calling application in `actor`.
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`.
    package func listAccounts(
        _ request: IdentityV1.ListAccountsRequest, _ context: CallContext
    ) async throws -> IdentityV1.ListAccountsResponse {
        try await accounts.listAccounts(
            Self.naming(\.actor, of: request, context), context.onward())
    }

    /// Relays the call, with the calling application in `actor`.
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`, `rpc/not-found`.
    package func suspendAccount(
        _ request: IdentityV1.SuspendAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.SuspendAccountResponse {
        try await accounts.suspendAccount(
            Self.naming(\.actor, of: request, context), context.onward())
    }

    /// Relays the call, with the calling application in `actor`.
    /// - Throws: as `suspendAccount`.
    package func restoreAccount(
        _ request: IdentityV1.RestoreAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.RestoreAccountResponse {
        try await accounts.restoreAccount(
            Self.naming(\.actor, of: request, context), context.onward())
    }

    /// Relays the call, with the calling application in `actor`.
    /// - Throws: as `suspendAccount`.
    package func signOutAccount(
        _ request: IdentityV1.SignOutAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.SignOutAccountResponse {
        try await accounts.signOutAccount(
            Self.naming(\.actor, of: request, context), context.onward())
    }

    /// The request, with the calling application in `actor`. The identity service sees only the
    /// gateway as its caller, but the audit record must name the application behind it, for example
    /// `gateway/support/ann`.
    private static func naming<Request>(
        _ actor: WritableKeyPath<Request, String>, of request: Request, _ context: CallContext
    ) -> Request {
        var request = request
        let named = request[keyPath: actor]
        request[keyPath: actor] =
            named.isEmpty ? context.application : "\(context.application)/\(named)"
        return request
    }
}
