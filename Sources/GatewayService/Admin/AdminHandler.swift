package import Contracts
package import Messages
package import RPC

/// Accounts for an app's support desk (I-09): `postern.gateway.v1.Admin`. A thin relay: who may call
/// it stands in the list of callers, and whether identity listens in identity's settings.
package struct AdminHandler: AdminService {
    private let accounts: any AccountAdminAPI

    /// In front of identity.
    package init(accounts: any AccountAdminAPI) {
        self.accounts = accounts
    }

    /// Relayed.
    package func lookUpAccount(
        _ request: IdentityV1.LookUpAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.LookUpAccountResponse {
        var request = request
        request.actor = Self.actor(request.actor, context)
        return try await accounts.lookUpAccount(request, context.onward())
    }

    /// Relayed.
    package func listAccounts(
        _ request: IdentityV1.ListAccountsRequest, _ context: CallContext
    ) async throws -> IdentityV1.ListAccountsResponse {
        var request = request
        request.actor = Self.actor(request.actor, context)
        return try await accounts.listAccounts(request, context.onward())
    }

    /// Relayed.
    package func suspendAccount(
        _ request: IdentityV1.SuspendAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.SuspendAccountResponse {
        var request = request
        request.actor = Self.actor(request.actor, context)
        return try await accounts.suspendAccount(request, context.onward())
    }

    /// Relayed.
    package func restoreAccount(
        _ request: IdentityV1.RestoreAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.RestoreAccountResponse {
        var request = request
        request.actor = Self.actor(request.actor, context)
        return try await accounts.restoreAccount(request, context.onward())
    }

    /// Relayed.
    package func signOutAccount(
        _ request: IdentityV1.SignOutAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.SignOutAccountResponse {
        var request = request
        request.actor = Self.actor(request.actor, context)
        return try await accounts.signOutAccount(request, context.onward())
    }

    /// Identity sees only the gateway call; the record has to name the application that asked it:
    /// `gateway/support/ann`.
    private static func actor(_ actor: String, _ context: CallContext) -> String {
        actor.isEmpty ? context.application : "\(context.application)/\(actor)"
    }
}
