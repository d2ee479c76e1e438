import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountDocumentsHandler {
    /// Streams the changes of the caller's documents: those after a position at once, then each new
    /// one (I-07).
    ///
    /// The token is checked before anything is sent, so that a session which has ended learns
    /// nothing more, and the stream ends when the token expires.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`;
    ///   `rpc/resource-exhausted` when the account has too many streams; `rpc/invalid-argument`
    ///   with the field; an error when the call is over.
    func watchDocuments(
        _ request: IdentityV1.WatchDocumentsRequest,
        _ items: OutgoingItems<IdentityV1.WatchDocumentsItem>, _ context: CallContext
    ) async throws {
        guard request.collection.isEmpty || DocumentKey.isCollection(request.collection) else {
            throw ServiceError(.invalidArgument, fields: ["collection"])
        }
        var follower = DocumentFollower(after: request.after.map(\.position))
        guard follower.position >= 0 else {
            throw ServiceError(.invalidArgument, fields: ["after_position"])
        }
        let account = try await owner(of: request, context).account
        try await watchers.following(account, time) {
            try await sendChanges(of: request, to: items, &follower, context).expiresAt
        }
    }

    /// Sends what has changed, and an item with the position alone after the first changes and
    /// whenever nothing has changed.
    private func sendChanges(
        of request: IdentityV1.WatchDocumentsRequest,
        to items: OutgoingItems<IdentityV1.WatchDocumentsItem>, _ follower: inout DocumentFollower,
        _ context: CallContext
    ) async throws -> ValidAccessToken {
        var hasChanges = false
        while true {
            let token = try await owner(of: request, context)
            let (at, page) = try await next(
                follower, token.account, collection: request.collection)
            let next = follower.items(of: page, at: at)
            for item in next { try await items.write(item) }
            hasChanges = hasChanges || !next.isEmpty
            if page.hasMore { continue }
            if let item = follower.upToDate(at: at, hasChanges: hasChanges) {
                try await items.write(item)
            }
            return token
        }
    }

    /// The next changes, and the totals of the same moment.
    private func next(
        _ follower: DocumentFollower, _ account: AccountID, collection: String
    ) async throws -> (DocumentTotals, OpenedPage) {
        let (documents, page) = try await store.read { session in
            guard let owner = try session.documentOwner(account) else {
                throw ServiceError(.invalidAccessToken)
            }
            try owner.requireUsable()
            let documents = try opened(owner)
            var selection = follower.selection(at: owner.totals)
            selection.collectionKey = documents.collectionKey(filter: collection)
            return (documents, try session.documentPage(selection, of: account))
        }
        return (documents.owner.totals, try documents.open(page))
    }

    /// The owner of the stream's token, now.
    private func owner(
        of request: IdentityV1.WatchDocumentsRequest, _ context: CallContext
    ) async throws -> ValidAccessToken {
        try await sessions.validated(accessToken: request.accessToken, context.ofCheck(time))
    }
}

extension IdentityV1.WatchDocumentsRequest.After {
    /// The position after which changes are requested.
    fileprivate var position: Int64 {
        switch self {
        case .afterPosition(let position): position
        }
    }
}
