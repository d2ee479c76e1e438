import Contracts
import Messages
import RPC
import ServiceRuntime

extension GuestsHandler {
    /// G-16: identify the caller's account → charge the limit → relay the documents, and identity's
    /// progress back. A repeat with the same idempotency key gets the same migration, and is not
    /// charged again (G-25).
    /// - Throws: `auth/account-required`, `auth/document-quota`, `auth/invalid-document`,
    ///   `auth/too-many-requests`, `auth/invalid-access-token`, `auth/session-ended`,
    ///   `auth/user-disabled`, `auth/idempotency-key-reused`; `rpc/invalid-argument` for items in
    ///   another order than head, then documents.
    func uploadGuestBundle(
        _ incoming: IncomingItems<GatewayV1.UploadGuestBundleRequest>,
        _ outgoing: OutgoingItems<GatewayV1.UploadGuestBundleItem>, _ context: CallContext
    ) async throws {
        let onward = try context.onward(for: "UploadGuestBundle")
        let origin = try Origin.of(nil, context)
        let session = try await sessions.requiredSession(context)
        guard case .head(let head) = try await incoming.makeAsyncIterator().next()?.part else {
            throw ServiceError(.invalidArgument, fields: ["head"])
        }
        let onwardHead = IdentityV1.GuestBundleHead(
            accessToken: session.accessToken, documents: head.documents, origin: origin)
        _ = try await limits.charging(
            .guestBundle(account: session.accountID), context,
            chargedOnceFor: onward.idempotencyKey
        ) {
            try await guestData.uploadGuestBundle(onward).relay(
                IdentityV1.UploadGuestBundleRequest(part: .head(onwardHead)), then: incoming
            ) { item in
                guard case .document(let document) = item.part else {
                    throw ServiceError(.invalidArgument, fields: ["document"])
                }
                return IdentityV1.UploadGuestBundleRequest(part: .document(document))
            } answer: { item in
                try await outgoing.write(
                    GatewayV1.UploadGuestBundleItem(
                        receivedDocuments: item.receivedDocuments,
                        migration: item.migration))
            }
        }
    }
}
