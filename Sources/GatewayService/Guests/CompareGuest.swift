import Contracts
import Messages
import RPC

extension GuestsHandler {
    /// G-16: a page of the documents that the guest and the caller's account have.
    /// - Throws: `auth/invalid-choice`, `auth/invalid-access-token`, `auth/session-ended`,
    ///   `auth/user-disabled`, `rpc/invalid-argument`.
    func compareGuest(
        _ request: GatewayV1.CompareGuestRequest, _ context: CallContext
    ) async throws -> GatewayV1.CompareGuestResponse {
        let page = try await guestData.compareGuest(
            IdentityV1.CompareGuestRequest(
                accessToken: try context.requiredAccessToken(), choiceToken: request.choiceToken,
                withJson: request.withJson, pageToken: request.pageToken),
            context.onward())
        return GatewayV1.CompareGuestResponse(
            documents: page.documents, nextPageToken: page.nextPageToken,
            guestDocuments: page.guestDocuments, accountDocuments: page.accountDocuments)
    }
}
