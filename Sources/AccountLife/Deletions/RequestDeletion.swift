import Contracts
import Cryptography
import IdentityService
import Messages
import PersonalData
import RPC
import ServiceRuntime
import Storage

extension AccountDeletionsHandler {
    /// Begins the deletion of the caller's account, at once or after `deletion-wait`. It waits in
    /// any case while an export is prepared or ready, so that its owner can fetch it. The response
    /// is sent after the commit that refuses sign-in; the steps follow (`DeletionWork`).
    ///
    /// Attack: somebody reads the mailbox of an account with a second factor. By a mailed link the
    /// deletion waits in any case, and its owner can cancel it in a session: nothing of the mailbox
    /// alone is final.
    ///
    /// A link of a session (G-32) was made after a second proof, and serves once.
    ///
    /// A repeat has no session any more. It is recognised by its confirmation token before the
    /// session is judged, and must come from the session or link that the token was made for, even
    /// if that has ended. In any other call the session must be live. A token whose deletion was
    /// cancelled begins no other: a late repeat would undo the cancel, and the person would not
    /// know. Neither does a token with another `wait` than before: a person who chose to wait has
    /// not confirmed a deletion at once, which cannot be undone.
    func requestDeletion(
        _ request: GatewayV1.RequestDeletionRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestDeletionResponse {
        let call = try await call(AccountDeletionDescription.requestDeletion, request, context)
        let opened = DeletionConfirmation(
            token: request.confirmationToken, keys, at: time.now())
        let use = ConfirmationUse(request, keys)
        var begun: GatewayV1.Deletion?
        if let opened {
            let now = time.now()
            begun = try await store.read {
                try $0.begunDeletion(of: opened.account)
                    ?? $0.waitingDeletion(by: opened, use, at: now)
            }
        }
        if let opened, let begun, try await isHolder(call, of: opened) {
            return GatewayV1.RequestDeletionResponse(deletion: begun)
        }
        try await requireSession(of: call)
        guard let confirmation = opened, begun == nil else {
            throw ServiceError(.invalidConfirmation)
        }
        let caller = try await caller(call, needsProof: true)
        guard caller.account == confirmation.account, caller.holder == confirmation.holder else {
            throw ServiceError(.invalidConfirmation)
        }
        let deletion: GatewayV1.Deletion = try await store.write(about: [.account(caller.account)])
        { transaction in
            // The same request, by a call that came first since `begunDeletion` was read.
            if let begun = try transaction.begunDeletion(of: caller.account) { return begun }
            return try begin(by: caller, waits: request.wait, use, call.origin, transaction)
                .message
        }
        deletions.wake()
        return GatewayV1.RequestDeletionResponse(deletion: deletion)
    }

    /// Whether the caller is the one that the confirmation was made for. The session may have
    /// ended. A link is used up with its account, so any counts: who sends it has the confirmation.
    /// Attack: another account, or an invented access token, learns with a token that leaked what
    /// became of the account.
    private func isHolder(
        _ call: DeletionCall, of confirmation: DeletionConfirmation
    ) async throws -> Bool {
        switch (call.token, confirmation.holder) {
        case (.access(let token), .session(let key)):
            let state = try await owners.sessions.inspectSession(
                SessionV1.InspectSessionRequest(accessToken: token), call.context.onward())
            return state.known && SessionID(text: state.sessionId)?.key == key
        case (.link, .link), (.link, .sessionLink): return true
        default: return false
        }
    }

    private func begin(
        by caller: DeletionCaller, waits: Bool, _ use: ConfirmationUse, _ origin: CallOrigin,
        _ transaction: Transaction
    ) throws -> StoredDeletion {
        let account = try transaction.deletableRow(caller.account).account
        if let owner = caller.owner { try transaction.requireLive(owner) }
        if let (key, purpose) = caller.holder.link {
            guard try transaction.hasLink(key, purpose, of: account) else {
                throw ServiceError(.invalidLink)
            }
            if purpose == .sessionDeletion { try transaction.removeLinks(purpose, of: account) }
        }
        switch try transaction.remembered(key: use.key, fingerprint: use.fingerprint) {
        case .fresh:
            try transaction.remember(key: use.key, fingerprint: use.fingerprint, answer: [])
        case .repeated where try transaction.deletion(of: account) != nil: break
        case .repeated, .mismatch: throw ServiceError(.invalidConfirmation)
        }
        let waits =
            try waits || transaction.hasExport(of: account, at: transaction.at)
            || transaction.isByMailboxAlone(caller.holder, of: account)
        return try transaction.requestDeletion(
            of: account, source: .owner,
            due: deletions.due(waits: waits, from: transaction.at), deletions
        ) { $0.from(origin) }
    }
}

/// The use of a confirmation token among the stored responses, which are kept for longer than the
/// token lives.
private struct ConfirmationUse: Sendable {
    let key: [UInt8]
    let fingerprint: [UInt8]

    init(_ request: GatewayV1.RequestDeletionRequest, _ keys: IdentityKeys) {
        let text = "deletion-confirmation\0\(request.confirmationToken)"
        key = keys.calls.lookUpKey(Array(text.utf8))
        fingerprint = keys.calls.lookUpKey(Array("\(text)\0\(request.wait)".utf8))
    }
}

extension SQLSession {
    /// Whether the mailbox is all that asks for a deletion, and a second factor protects the account.
    func isByMailboxAlone(_ holder: DeletionHolder, of account: AccountID) throws -> Bool {
        switch holder {
        case .session, .sessionLink: false
        case .link: try hasSecondFactor(account)
        }
    }

    /// The deletion of an account that has begun, or is done; nil while none has.
    fileprivate func begunDeletion(of account: AccountID) throws -> GatewayV1.Deletion? {
        if let deletion = try deletion(of: account) {
            return deletion.step == nil ? nil : deletion.message
        }
        guard try standing(account) == nil else { return nil }
        return GatewayV1.Deletion(state: .deleting)
    }

    /// The deletion that waits because of this use of a session's link, which used the link up; nil
    /// for another holder and another use.
    fileprivate func waitingDeletion(
        by confirmation: DeletionConfirmation, _ use: ConfirmationUse, at moment: Timestamp
    ) throws -> GatewayV1.Deletion? {
        guard case .sessionLink = confirmation.holder,
            case .repeated = try remembered(
                key: use.key, fingerprint: use.fingerprint, at: moment)
        else { return nil }
        return try deletion(of: confirmation.account)?.message
    }
}
