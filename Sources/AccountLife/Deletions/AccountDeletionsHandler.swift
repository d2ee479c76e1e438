import Addresses
import Contracts
import Cryptography
import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.gateway.v1.AccountDeletion`: the deletion of the caller's account (G-19, G-20).
/// `requestDeletionLink` is of `postern.identity.v1.AccountDeletions`, for the gateway, which
/// charges it.
///
/// Whose account it is comes from the access token or the link's token alone, and `requestDeletion`
/// requires the recent proof. So a compromised gateway deletes only accounts whose owners call
/// through it.
struct AccountDeletionsHandler:
    AccountDeletionsService, IdentityAccountDeletionService, AccountWriting
{
    let store: Store
    let writer: AccountWriter
    let time: any Time
    let owners: SessionOwners
    let calls: AccountCalls
    let deletions: DeletionContext
}

/// A call about a deletion. Its rpc judges the session (`requireSession`): `requestDeletion` looks for
/// a repeat before, whose session the deletion has ended.
struct DeletionCall: Sendable {
    /// What its caller shows.
    enum Token: Sendable {
        /// An access token.
        case access(String)
        /// The token of a link: mailed, or made in a session.
        case link(String)
    }

    let token: Token
    let origin: CallOrigin
    /// What the calls to other services are made with.
    let context: CallContext
}

/// A request in which the token of a link can stand for a session.
protocol LinkTokenRequest: ProtobufMessage {
    /// Empty in a session.
    var linkToken: SecretBytes { get }
}

extension GatewayV1.PreviewDeletionRequest: LinkTokenRequest {}
extension GatewayV1.RequestDeletionRequest: LinkTokenRequest {}
extension GatewayV1.CancelDeletionRequest: LinkTokenRequest {}

/// Who asks for a deletion.
struct DeletionCaller: Sendable {
    let account: AccountID
    let holder: DeletionHolder
    /// Nil for the holder of a link.
    let owner: SessionOwner?
}

extension AccountDeletionsHandler {
    /// Who makes a call. A session that comes with a link is judged as in every call where it is
    /// optional, and then not used.
    /// - Throws: `rpc/permission-denied` for a caller that is not the gateway;
    ///   `auth/invalid-access-token` without a link and a session; as `AccountCalls.optionalOwner`.
    func call(
        _ method: MethodDescription, _ request: (any ProtobufMessage)?, _ context: CallContext
    ) async throws -> DeletionCall {
        try context.requireGateway()
        let shown: DeletionCall.Token
        if let link = (request as? any LinkTokenRequest)?.linkToken, !link.isEmpty {
            _ = try await calls.optionalOwner(in: context)
            shown = .link(link.withBytes { String(decoding: $0, as: UTF8.self) })
        } else {
            shown = .access(try context.requiredAccessToken())
        }
        return DeletionCall(
            token: shown, origin: CallOrigin(context, keys),
            context: context)
    }

    /// Requires that the session of a call is live. A call by a link needs none.
    /// - Throws: as `AccountCalls.optionalOwner`.
    func requireSession(of call: DeletionCall) async throws {
        guard case .access = call.token else { return }
        _ = try await calls.optionalOwner(in: call.context)
    }

    /// The account of a call, and in whose name it is made.
    /// - Parameter needsProof: A session needs a recent proof, unless it is a guest's.
    /// - Throws: `auth/invalid-link`; as `SessionOwners.owner` and `requireUnlessGuest`.
    func caller(_ call: DeletionCall, needsProof: Bool) async throws -> DeletionCaller {
        switch call.token {
        case .access:
            let owner =
                needsProof
                ? try await owners.requireUnlessGuest(.standard, in: call.context)
                : try await owners.owner(in: call.context)
            guard let session = SessionID(text: owner.session) else {
                throw ServiceError(.internalError, detail: "a session without a valid id")
            }
            return DeletionCaller(
                account: owner.account, holder: .session(session.key), owner: owner)
        case .link(let text): return try await caller(byLink: text, call.context)
        }
    }

    /// A mailed link, or one that an app made in its session.
    private func caller(
        byLink text: String, _ context: CallContext
    ) async throws -> DeletionCaller {
        let hash = try linkHash(text, .deleteAccount)
        let now = time.now()
        let mailed = try await store.read { try $0.link(.deleteAccount, tokenHash: hash, at: now) }
        if let mailed {
            return DeletionCaller(account: mailed.account, holder: .link(mailed.key), owner: nil)
        }
        let link = try await owners.link(
            LinkToken(text: text), .sessionDeletion, at: now, in: context)
        return DeletionCaller(account: link.account, holder: .sessionLink(link.key), owner: nil)
    }

    /// The hash of a link's token.
    /// - Throws: `auth/invalid-link` for a malformed one.
    func linkHash(_ text: String, _ purpose: LinkPurpose) throws(ServiceError) -> [UInt8] {
        guard let token = LinkToken(text: text) else { throw ServiceError(.invalidLink) }
        return token.hash(purpose, keys.links)
    }

    /// Makes a link to the page that deletes the caller's account (G-32). It needs the proof of the
    /// call for which it stands.
    func createDeletionLink(
        _ request: GatewayV1.CreateDeletionLinkRequest, _ call: DeletionCall
    ) async throws -> GatewayV1.CreateDeletionLinkResponse {
        let owner = try await owners.requireUnlessGuest(.standard, in: call.context)
        let link = try await owners.issueLink(
            .sessionDeletion, to: owner,
            RepeatableCall(
                AccountDeletionDescription.createDeletionLink, request, by: owner.account.text,
                call.context, keys),
            from: call.origin)
        return GatewayV1.CreateDeletionLinkResponse(
            url: link.url, expiresAtMs: link.expiresAt.milliseconds)
    }

    /// Returns the deletion of the caller's account.
    func getDeletion(
        _ request: GatewayV1.GetDeletionRequest, _ call: DeletionCall
    ) async throws -> GatewayV1.GetDeletionResponse {
        let owner = try await calls.owner(in: call.context)
        return GatewayV1.GetDeletionResponse(
            deletion: try await store.read { session in
                let account = try session.callersRow(owner.account).account
                return try session.deletionMessage(of: account)
            })
    }

    /// Accepts a request for a link to the deletion page (G-19). Like `requestPasswordReset`, it
    /// does not look up whether the address has an account: `RequestedLinkMailing` does so later.
    func requestDeletionLink(
        _ request: GatewayV1.RequestDeletionLinkRequest, _ context: CallContext
    ) async throws -> IdentityV1.RequestDeletionLinkResponse {
        let address = try EmailAddress.required(request.email)
        let call = try RepeatableCall(
            AccountDeletionsDescription.requestDeletionLink, request, context, keys)
        try await RequestedLinkMailing.Request(
            address, keys, origin: CallOrigin(context, keys)
        ).write(.deletionLink, call, in: store, writer, now: time.now())
        return IdentityV1.RequestDeletionLinkResponse()
    }
}

extension StoredDeletion {
    /// The deletion as its account's owner sees it.
    var message: GatewayV1.Deletion {
        switch state {
        case .none: GatewayV1.Deletion(state: .none)
        case .waiting(let due):
            GatewayV1.Deletion(
                state: .waiting, requestedAtMs: requestedAt.milliseconds,
                dueAtMs: due.milliseconds)
        case .deleting:
            GatewayV1.Deletion(state: .deleting, requestedAtMs: requestedAt.milliseconds)
        }
    }
}

extension SQLSession {
    /// The row of an account that its owner deletes. One that waits for the verification of its
    /// address can be deleted by a mailed link, which proves the address.
    /// - Throws: `auth/invalid-access-token` when it no longer exists; `auth/user-disabled` if it
    ///   is suspended or is being deleted.
    func deletableRow(_ account: AccountID) throws -> AccountRow {
        guard let row = try self.account(account) else { throw ServiceError(.invalidAccessToken) }
        guard row.status.mayVerify else { throw ServiceError(.accountDisabled) }
        return row
    }

    /// The deletion of an account as its owner sees it; with the state "none" if there is none.
    func deletionMessage(of account: AccountID) throws -> GatewayV1.Deletion {
        try deletion(of: account)?.message ?? GatewayV1.Deletion(state: .none)
    }
}
