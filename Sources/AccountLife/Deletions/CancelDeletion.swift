import Contracts
import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountDeletionsHandler {
    /// Cancels the deletion that waits. It needs no recent proof, because the account stays as it
    /// is; but the session must not have ended, as in `cancelEmailChange`.
    ///
    /// A link whose deletion has begun is invalid, like one that was used: the page must not say
    /// that the account is kept.
    func cancelDeletion(
        _ request: GatewayV1.CancelDeletionRequest, _ context: CallContext
    ) async throws -> GatewayV1.CancelDeletionResponse {
        let call = try await call(AccountDeletionDescription.cancelDeletion, request, context)
        try await requireSession(of: call)
        let isCancelled =
            switch call.token {
            case .access:
                try await cancel(request, by: owners.owner(in: call.context), call)
            case .link(let text):
                try await cancel(request, byLink: try linkHash(text, .keepAccount), call)
            }
        return GatewayV1.CancelDeletionResponse(cancelled: isCancelled)
    }

    private func cancel(
        _ request: GatewayV1.CancelDeletionRequest, by owner: SessionOwner, _ call: DeletionCall
    ) async throws -> Bool {
        let repeatable = try RepeatableCall(
            AccountDeletionDescription.cancelDeletion, request, by: owner.account.text,
            call.context, keys)
        return try await store.write(about: [.account(owner.account)]) { transaction in
            try transaction.requireLive(owner)
            if let first = try transaction.storedResponse(of: repeatable) { return first.done }
            guard try cancel(owner.account, call.origin, transaction) else {
                return false  // and stores nothing, as in `cancelEmailChange`
            }
            try transaction.remember(repeatable, .init(account: owner.account.key, done: true))
            return true
        }
    }

    /// The fingerprint has no account: a repeat cannot be asked for it, since its link is used up.
    private func cancel(
        _ request: GatewayV1.CancelDeletionRequest, byLink hash: [UInt8], _ call: DeletionCall
    ) async throws -> Bool {
        let repeatable = try RepeatableCall(
            AccountDeletionDescription.cancelDeletion, request, proving: hash, call.context, keys)
        return try await store.write(about: []) { transaction in
            if let first = try transaction.storedResponse(of: repeatable) { return first.done }
            let found = try transaction.locked {
                try transaction.deletion(keepLink: hash)?.account
            } about: {
                .account($0)
            }
            guard let account = found, try cancel(account, call.origin, transaction) else {
                throw ServiceError(.invalidLink)
            }
            try transaction.remember(repeatable, .init(account: account.key, done: true))
            return true
        }
    }

    private func cancel(
        _ account: AccountID, _ origin: CallOrigin, _ transaction: Transaction
    ) throws -> Bool {
        guard try transaction.cancelDeletion(of: account, from: origin) else { return false }
        try notices.deletionCancelled(account, transaction)
        return true
    }
}
