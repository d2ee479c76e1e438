import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.identity.v1.AccountDeletions`: the deletion of the caller's account (G-19, G-20). Each
/// rpc is in the file of its name: `previewDeletion`, `requestDeletion`, `cancelDeletion`,
/// `getDeletion`, `requestDeletionLink`.
struct AccountDeletionsHandler: AccountDeletionsService {
    let settings: IdentitySettings
    let store: Store
    let keys: IdentityKeys
    let time: any Time
    let randomness: any Randomness
    let owners: SessionOwners
    let deletions: DeletionContext

    var outbox: IdentityOutbox { IdentityOutbox(keys: keys, randomness: randomness) }
}

/// Who asks for a deletion.
struct DeletionCaller: Sendable {
    let account: AccountID
    let holder: DeletionHolder
    /// Nil for the holder of a mailed link.
    let owner: SessionOwner?
}

extension AccountDeletionsHandler {
    /// The caller of a request.
    /// - Parameter needsProof: A session needs a recent proof, unless it is a guest's.
    /// - Throws: `rpc/invalid-argument` without a caller; `auth/invalid-link`; as
    ///   `SessionOwners.owner` and `requireUnlessGuest`.
    func caller(
        _ caller: IdentityV1.DeletionCaller?, needsProof: Bool, _ context: CallContext
    ) async throws -> DeletionCaller {
        switch caller?.by {
        case .accessToken(let token):
            let owner =
                needsProof
                ? try await owners.requireUnlessGuest(.standard, of: token, context)
                : try await owners.owner(of: token, context)
            guard let session = SessionID(text: owner.session) else {
                throw ServiceError(.internalError, detail: "a session without a valid id")
            }
            return DeletionCaller(
                account: owner.account, holder: .session(session.key), owner: owner)
        case .linkToken(let text):
            let hash = try linkHash(text, .deleteAccount)
            let now = time.now()
            guard
                let link = try await store.read({
                    try $0.link(.deleteAccount, tokenHash: hash, at: now)
                })
            else { throw ServiceError(.invalidLink) }
            return DeletionCaller(account: link.account, holder: .link(link.key), owner: nil)
        case nil: throw ServiceError(.invalidArgument, fields: ["caller"])
        }
    }

    /// The hash of a link's token.
    /// - Throws: `auth/invalid-link` for a malformed one.
    func linkHash(_ text: String, _ purpose: LinkPurpose) throws(ServiceError) -> [UInt8] {
        guard let token = LinkToken(text: text) else { throw ServiceError(.invalidLink) }
        return token.hash(purpose, keys.links)
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
