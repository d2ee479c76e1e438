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
    /// - Throws: `auth/invalid-link`; as `SessionOwners.owner`; `auth/session-ended`;
    ///   `auth/idempotency-key-reused`; `rpc/invalid-argument` without a caller.
    func cancelDeletion(
        _ request: IdentityV1.CancelDeletionRequest, _ context: CallContext
    ) async throws -> IdentityV1.CancelDeletionResponse {
        let origin = CallOrigin(request.origin, hash: keys.audit)
        let isCancelled =
            switch request.caller?.by {
            case .accessToken(let token):
                try await cancel(
                    by: try await owners.owner(of: token, context), origin, context)
            case .linkToken(let text):
                try await cancel(byLink: try linkHash(text, .keepAccount), origin, context)
            case nil: throw ServiceError(.invalidArgument, fields: ["caller"])
            }
        return IdentityV1.CancelDeletionResponse(cancelled: isCancelled)
    }

    private func cancel(
        by owner: SessionOwner, _ origin: CallOrigin, _ context: CallContext
    ) async throws -> Bool {
        let call = try RepeatableCall(
            "CancelDeletion", [Array(owner.account.text.utf8)], context, hash: keys.calls)
        return try await store.write(about: [.account(owner.account)]) { transaction in
            try transaction.requireLive(owner)
            if let first = try transaction.storedResponse(of: call) { return first.done }
            guard try cancel(owner.account, origin, transaction) else {
                return false  // and stores nothing, as in `cancelEmailChange`
            }
            try transaction.remember(call, .init(account: owner.account.key, done: true))
            return true
        }
    }

    private func cancel(
        byLink hash: [UInt8], _ origin: CallOrigin, _ context: CallContext
    ) async throws -> Bool {
        let call = try RepeatableCall("CancelDeletion", [hash], context, hash: keys.calls)
        return try await store.write(about: []) { transaction in
            if let first = try transaction.storedResponse(of: call) { return first.done }
            let found = try transaction.locked {
                try transaction.deletion(keepLink: hash)?.account
            } about: {
                .account($0)
            }
            guard let account = found, try cancel(account, origin, transaction) else {
                throw ServiceError(.invalidLink)
            }
            try transaction.remember(call, .init(account: account.key, done: true))
            return true
        }
    }

    private func cancel(
        _ account: AccountID, _ origin: CallOrigin, _ transaction: Transaction
    ) throws -> Bool {
        guard try transaction.cancelDeletion(of: account, from: origin) else { return false }
        try DeletionMail(settings: settings, outbox: outbox).cancelled(account, transaction)
        return true
    }
}
