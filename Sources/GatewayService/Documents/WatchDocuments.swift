import Contracts
import Messages
import RPC

extension DocumentsHandler {
    /// I-07: relays identity's stream of changes. The gateway keeps no position: the caller resumes
    /// at any gateway with that of its last item.
    /// - Throws: `auth/invalid-access-token`, also when the token expires; `auth/session-ended`,
    ///   `auth/user-disabled`, `rpc/invalid-argument`.
    func watchDocuments(
        _ request: GatewayV1.WatchDocumentsRequest,
        _ items: OutgoingItems<GatewayV1.WatchDocumentsItem>, _ context: CallContext
    ) async throws {
        let after: IdentityV1.WatchDocumentsRequest.After? =
            switch request.after {
            case .afterPosition(let position): .afterPosition(position)
            case nil: nil
            }
        let changes = watches.watchDocuments(
            IdentityV1.WatchDocumentsRequest(
                accessToken: try context.requiredAccessToken(), collection: request.collection,
                after: after),
            context.onward())
        for try await item in changes {
            try await items.write(GatewayV1.WatchDocumentsItem(item))
        }
    }
}

extension GatewayV1.WatchDocumentsItem {
    fileprivate init(_ item: IdentityV1.WatchDocumentsItem) {
        let change: Change? =
            switch item.change {
            case .written(let document): .written(document)
            case .removed(let document): .removed(document)
            case nil: nil
            }
        self.init(position: item.position, reset: item.reset, change: change)
    }
}
