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
        var request = request
        request.actor = Self.actor(request.actor, context)
        return try await accounts.lookUpAccount(request, context.onward())
    }

    /// Relays the call, with the calling application in `actor`.
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`.
    package func listAccounts(
        _ request: IdentityV1.ListAccountsRequest, _ context: CallContext
    ) async throws -> IdentityV1.ListAccountsResponse {
        var request = request
        request.actor = Self.actor(request.actor, context)
        return try await accounts.listAccounts(request, context.onward())
    }

    /// Relays the call, with the calling application in `actor`.
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`, `rpc/not-found`.
    package func suspendAccount(
        _ request: IdentityV1.SuspendAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.SuspendAccountResponse {
        var request = request
        request.actor = Self.actor(request.actor, context)
        return try await accounts.suspendAccount(request, context.onward())
    }

    /// Relays the call, with the calling application in `actor`.
    /// - Throws: as `suspendAccount`.
    package func restoreAccount(
        _ request: IdentityV1.RestoreAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.RestoreAccountResponse {
        var request = request
        request.actor = Self.actor(request.actor, context)
        return try await accounts.restoreAccount(request, context.onward())
    }

    /// Relays the call, with the calling application in `actor`.
    /// - Throws: as `suspendAccount`.
    package func signOutAccount(
        _ request: IdentityV1.SignOutAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.SignOutAccountResponse {
        var request = request
        request.actor = Self.actor(request.actor, context)
        return try await accounts.signOutAccount(request, context.onward())
    }

    /// The identity service sees only the gateway as its caller, but the audit record must name the
    /// application behind it, for example `gateway/support/ann`.
    private static func actor(_ actor: String, _ context: CallContext) -> String {
        actor.isEmpty ? context.application : "\(context.application)/\(actor)"
    }
}
