package import Contracts
package import Messages
package import RPC

/// Accounts for the operator (I-09): `postern.identity.v1.AccountAdmin`.
package struct AccountAdmin: AccountAdminService {
    private let lookUp: AdminLookUp
    private let listing: AdminListing
    private let stop: AdminStop

    /// Over the accounts of `identity`; session is asked how they are used.
    package init(of identity: IdentityService, activity: any AccountActivityAPI) {
        lookUp = AdminLookUp(parts: identity.parts, activity: activity)
        listing = AdminListing(parts: identity.parts)
        stop = AdminStop(parts: identity.parts)
    }

    /// `AdminLookUp`.
    package func lookUpAccount(
        _ request: IdentityV1.LookUpAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.LookUpAccountResponse {
        try await lookUp.run(request, context)
    }

    /// `AdminListing`.
    package func listAccounts(
        _ request: IdentityV1.ListAccountsRequest, _ context: CallContext
    ) async throws -> IdentityV1.ListAccountsResponse {
        try await listing.run(request, context)
    }

    /// `AdminStop`.
    package func suspendAccount(
        _ request: IdentityV1.SuspendAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.SuspendAccountResponse {
        try await stop.suspend(request, context)
    }

    /// `AdminStop`.
    package func restoreAccount(
        _ request: IdentityV1.RestoreAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.RestoreAccountResponse {
        try await stop.restore(request, context)
    }

    /// `AdminStop`.
    package func signOutAccount(
        _ request: IdentityV1.SignOutAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.SignOutAccountResponse {
        try await stop.signOut(request, context)
    }
}
