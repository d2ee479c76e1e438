import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension DocumentsHandler {
    /// Streams the changes of the caller's documents: those after a position at once, then each new
    /// one (I-07).
    ///
    /// The token is checked before anything is sent, so that a session which has ended learns
    /// nothing more, and the stream ends when the token expires.
    func watchDocuments(
        _ request: GatewayV1.WatchDocumentsRequest,
        _ items: OutgoingItems<GatewayV1.WatchDocumentsItem>, _ call: AccountCall
    ) async throws {
        guard request.collection.isEmpty || DocumentKey.isCollection(request.collection) else {
            throw ServiceError(.invalidArgument, fields: ["collection"])
        }
        let after: Int64? =
            if case .afterPosition(let position) = request.after { position } else { nil }
        var follower = DocumentFollower(after: after)
        guard follower.position >= 0 else {
            throw ServiceError(.invalidArgument, fields: ["after_position"])
        }
        try await watchers.following(call.account, time) {
            try await sendChanges(of: request, to: items, &follower, call).expiresAt
        }
    }

    /// Sends what has changed, and an item with the position alone after the first changes and
    /// whenever nothing has changed.
    private func sendChanges(
        of request: GatewayV1.WatchDocumentsRequest,
        to items: OutgoingItems<GatewayV1.WatchDocumentsItem>, _ follower: inout DocumentFollower,
        _ call: AccountCall
    ) async throws -> ValidAccessToken {
        var hasChanges = false
        while true {
            let token = try await calls.owner(in: call.context)
            let (at, page) = try await next(
                follower, token.account, collection: request.collection)
            let next = try follower.items(of: page, at: at, rules.value)
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
        let (documents, page) = try await store.read { [self] session in
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
}
