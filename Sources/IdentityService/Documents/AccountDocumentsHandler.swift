import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.identity.v1.AccountDocuments`: documents of accounts (I-07). Each rpc is in the file of
/// its name: `readDocument`, `writeDocuments`, `removeDocument`, `listDocuments`, `watchDocuments`.
struct AccountDocumentsHandler: AccountDocumentsService {
    let settings: DocumentSettings
    /// For collections that need consent.
    let consent: ConsentSettings
    let store: Store
    let keys: IdentityKeys
    let time: any Time
    let randomness: any Randomness
    /// The session service, which knows the accounts of access tokens.
    let sessions: any SessionsAPI
    /// The operator's rules, as they are now.
    let rules: Reloadable<DocumentRules>
    let backends: BackendCalls
    let watchers: AccountWatchers
    let turns = AccountTurns()
}

/// Who reads or writes documents of an account.
struct DocumentCall: Sendable {
    let account: AccountID
    /// Nil for the account's owner.
    let backend: Backend?
    /// Where it comes from.
    let origin: CallOrigin

    /// Who writes, for the rules.
    var writer: DocumentWriter { backend == nil ? .owner : .backend }

    /// The call for the store's memory of repeats.
    func repeatable(_ context: CallContext) -> any IdempotentCall { backend ?? context }
}

extension AccountDocumentsHandler {
    /// Whose documents a request is about, and who asks.
    /// - Parameter parts: the request as the token of a backend covers it (`BackendCalls`).
    /// - Throws: as `SessionsAPI.validated` and `BackendCalls.verified`; `rpc/invalid-argument` for a
    ///   request that names neither.
    func authorised(
        _ caller: IdentityV1.DocumentCaller?, from origin: IdentityV1.Origin? = nil,
        _ method: BackendCalls.Method, _ parts: @autoclosure () -> [[UInt8]],
        _ context: CallContext
    ) async throws -> DocumentCall {
        let origin = CallOrigin(origin, hash: keys.audit)
        switch caller?.by {
        case .accessToken(let token):
            let owner = try await sessions.validated(accessToken: token, context)
            return DocumentCall(account: owner.account, backend: nil, origin: origin)
        case .backend(let caller):
            let backend = try backends.verified(caller, method, parts())
            return DocumentCall(account: backend.account, backend: backend, origin: origin)
        case nil: throw ServiceError(.invalidArgument, fields: ["caller"])
        }
    }

    /// The account as the owner of documents.
    /// - Throws: `auth/user-disabled`; without an account `auth/invalid-access-token`, or
    ///   `rpc/not-found` for a backend, which names it.
    func owner(_ call: DocumentCall, in session: some SQLSession) throws -> DocumentOwner {
        guard let owner = try session.documentOwner(call.account) else {
            throw call.backend == nil
                ? ServiceError(.invalidAccessToken)
                : ServiceError(.notFound, fields: ["account_id"])
        }
        // A backend may prepare or tidy up an account that cannot sign in.
        if call.backend == nil { try owner.requireUsable() }
        return owner
    }

    /// The account's documents, opened.
    /// - Throws: if the account's key does not decrypt.
    func opened(_ owner: DocumentOwner) throws -> OwnedDocuments {
        try OwnedDocuments(of: owner, keys: keys, randomness: randomness)
    }
}
