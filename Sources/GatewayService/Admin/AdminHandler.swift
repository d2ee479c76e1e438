import Contracts
import Messages
import RPC
import ServiceRuntime

/// `postern.gateway.v1.Admin`: accounts for an application's support desk (I-09). Relays each call
/// to the identity service. Deletions, unused guests and orphans are in the files of their names,
/// the other calls are here. Which applications may call it is in the gateway's list of callers;
/// whether the identity service accepts the calls is in that service's settings.
struct AdminHandler: AdminService {
    let accounts: any AccountAdminAPI
    let photos: PhotoURLs

    /// Relays the call, with the calling application in `actor`.
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`, `auth/invalid-email`,
    ///   `rpc/not-found`.
    func lookUpAccount(
        _ request: GatewayV1.LookUpAccountRequest, _ context: CallContext
    ) async throws -> GatewayV1.LookUpAccountResponse {
        let by: IdentityV1.LookUpAccountRequest.By? =
            switch request.by {
            case .accountId(let id): .accountId(id)
            case .email(let email): .email(email)
            case .phoneNumber(let number): .phoneNumber(number)
            case .providerSubject(let subject): .providerSubject(subject)
            case nil: nil
            }
        let answer = try await accounts.lookUpAccount(
            IdentityV1.LookUpAccountRequest(
                showPersonalData: request.showPersonalData,
                actor: Self.actor(request.actor, context),
                by: by), context.onward())
        return GatewayV1.LookUpAccountResponse(
            account: answer.account.map { GatewayV1.AdminAccount($0, photos) })
    }

    /// Relays the call, with the calling application in `actor`.
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`.
    func listAccounts(
        _ request: GatewayV1.ListAccountsRequest, _ context: CallContext
    ) async throws -> GatewayV1.ListAccountsResponse {
        let inner = IdentityV1.ListAccountsRequest(
            status: request.status,
            createdFromMs: try request.createdFromAtMs(),
            createdBeforeMs: try request.createdBeforeAtMs(),
            signedInFromMs: try request.signedInFromAtMs(),
            signedInBeforeMs: try request.signedInBeforeAtMs(), limit: request.pageSize,
            page: request.pageToken, showPersonalData: request.showPersonalData,
            actor: Self.actor(request.actor, context))
        let answer: IdentityV1.ListAccountsResponse
        do {
            answer = try await accounts.listAccounts(inner, context.onward())
        } catch let error as ServiceError {
            throw error.withPublicFields
        }
        return GatewayV1.ListAccountsResponse(
            accounts: answer.accounts.map { GatewayV1.AdminAccount($0, photos) },
            nextPageToken: answer.nextPage)
    }

    /// Relays the call, with the calling application in `actor`.
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`, `rpc/not-found`.
    func suspendAccount(
        _ request: GatewayV1.SuspendAccountRequest, _ context: CallContext
    ) async throws -> GatewayV1.SuspendAccountResponse {
        let answer = try await accounts.suspendAccount(
            IdentityV1.SuspendAccountRequest(
                accountId: request.accountId, reason: request.reason,
                actor: Self.actor(request.actor, context)), context.onward())
        return GatewayV1.SuspendAccountResponse(
            account: answer.account.map { GatewayV1.AdminAccount($0, photos) },
            changed: answer.changed)
    }

    /// Relays the call, with the calling application in `actor`.
    /// - Throws: as `suspendAccount`.
    func restoreAccount(
        _ request: GatewayV1.RestoreAccountRequest, _ context: CallContext
    ) async throws -> GatewayV1.RestoreAccountResponse {
        let answer = try await accounts.restoreAccount(
            IdentityV1.RestoreAccountRequest(
                accountId: request.accountId, actor: Self.actor(request.actor, context)),
            context.onward())
        return GatewayV1.RestoreAccountResponse(
            account: answer.account.map { GatewayV1.AdminAccount($0, photos) },
            changed: answer.changed)
    }

    /// Relays the call, with the calling application in `actor`.
    /// - Throws: as `suspendAccount`.
    func signOutAccount(
        _ request: GatewayV1.SignOutAccountRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignOutAccountResponse {
        _ = try await accounts.signOutAccount(
            IdentityV1.SignOutAccountRequest(
                accountId: request.accountId, actor: Self.actor(request.actor, context)),
            context.onward())
        return GatewayV1.SignOutAccountResponse()
    }

    /// The named actor, after the calling application. The identity service sees only the gateway
    /// as its caller, but the audit record must name the application behind it, for example
    /// `gateway/support/ann`.
    static func actor(_ named: String, _ context: CallContext) -> String {
        named.isEmpty ? context.application : "\(context.application)/\(named)"
    }
}

extension GatewayV1.AdminAccount {
    init(_ account: IdentityV1.AdminAccount, _ photos: PhotoURLs) {
        self.init(
            account: account.account.map { GatewayV1.Account($0, photos) },
            suspension: account.suspension.map {
                GatewayV1.Suspension(reason: $0.reason, suspendedAtMs: $0.sinceMs)
            },
            activity: account.activity.map {
                GatewayV1.AccountActivity(
                    liveSessions: $0.liveSessions,
                    lastActivity: $0.lastActivityAtMs > 0
                        ? .lastActivityAtMs($0.lastActivityAtMs) : nil,
                    lastSeen: $0.lastSeenAtMs > 0 ? .lastSeenAtMs($0.lastSeenAtMs) : nil)
            }, privacy: account.privacy,
            deletion: account.deletion)
    }
}

extension GatewayV1.ListAccountsRequest {
    fileprivate func createdFromAtMs() throws(ServiceError) -> Int64 {
        guard case .createdFromAtMs(let moment) = createdFrom else { return 0 }
        return try Self.bound(moment, "created_from_at_ms")
    }

    fileprivate func createdBeforeAtMs() throws(ServiceError) -> Int64 {
        guard case .createdBeforeAtMs(let moment) = createdBefore else { return 0 }
        return try Self.bound(moment, "created_before_at_ms")
    }

    fileprivate func signedInFromAtMs() throws(ServiceError) -> Int64 {
        guard case .signedInFromAtMs(let moment) = signedInFrom else { return 0 }
        return try Self.bound(moment, "signed_in_from_at_ms")
    }

    fileprivate func signedInBeforeAtMs() throws(ServiceError) -> Int64 {
        guard case .signedInBeforeAtMs(let moment) = signedInBefore else { return 0 }
        return try Self.bound(moment, "signed_in_before_at_ms")
    }

    /// A bound that the caller gave. Identity has 0 for no bound: relayed, it would list all
    /// accounts.
    private static func bound(_ moment: Int64, _ field: String) throws(ServiceError) -> Int64 {
        guard moment > 0 else { throw ServiceError(.invalidArgument, fields: [field]) }
        return moment
    }
}
