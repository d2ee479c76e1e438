package import Contracts
package import Messages
package import RPC

/// Account administration for operators (I-09): `postern.identity.v1.AccountAdmin`.
package struct AccountAdmin: AccountAdminService {
    private let lookUp: AdminLookUp
    private let listing: AdminListing
    private let stop: AdminStop

    /// Administers the accounts of `identity`; `activity` is the session service's view of their
    /// use.
    package init(of identity: IdentityService, activity: any AccountActivityAPI) {
        lookUp = AdminLookUp(parts: identity.parts, activity: activity)
        listing = AdminListing(parts: identity.parts)
        stop = AdminStop(parts: identity.parts)
    }

    /// Finds one account (`AdminLookUp`).
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`, `auth/invalid-email`,
    ///   `rpc/not-found`.
    package func lookUpAccount(
        _ request: IdentityV1.LookUpAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.LookUpAccountResponse {
        try await lookUp.run(request, context)
    }

    /// Lists accounts (`AdminListing`).
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`.
    package func listAccounts(
        _ request: IdentityV1.ListAccountsRequest, _ context: CallContext
    ) async throws -> IdentityV1.ListAccountsResponse {
        try await listing.run(request, context)
    }

    /// Suspends an account (`AdminStop`).
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`, `rpc/not-found`.
    package func suspendAccount(
        _ request: IdentityV1.SuspendAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.SuspendAccountResponse {
        try await stop.suspend(request, context)
    }

    /// Lifts a suspension (`AdminStop`).
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`, `rpc/not-found`.
    package func restoreAccount(
        _ request: IdentityV1.RestoreAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.RestoreAccountResponse {
        try await stop.restore(request, context)
    }

    /// Ends all sessions of an account (`AdminStop`).
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`, `rpc/not-found`.
    package func signOutAccount(
        _ request: IdentityV1.SignOutAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.SignOutAccountResponse {
        try await stop.signOut(request, context)
    }
}
