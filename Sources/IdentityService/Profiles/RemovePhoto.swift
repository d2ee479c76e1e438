import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountProfilesHandler {
    /// Removes the photo, also a provider's picture. Later sign-ins do not bring that back (G-17).
    /// - Throws: as `SessionsAPI.validated(accessToken:_:)`, `SQLSession.changeableRow` and
    ///   `Transaction.requireRoom`.
    func removePhoto(
        _ request: IdentityV1.RemovePhotoRequest, _ context: CallContext
    ) async throws -> IdentityV1.RemovePhotoResponse {
        let owner = try await sessions.validated(accessToken: request.accessToken, context)
        let origin = CallOrigin(request.origin, hash: keys.audit)
        let (row, former) = try await store.write(about: [.account(owner.account)]) {
            transaction in
            let row = try transaction.changeableRow(owner.account)
            let hasPhoto = row.photo != nil || row.sealedPhotoURL != nil
            // Without a photo it still records that a provider's must not come back.
            guard hasPhoto || !row.isPhotoEdited else { return (row, BlobName?.none) }
            try transaction.requireRoom(
                for: NewcomerBytes.callBytes, of: row.newcomer(at: transaction.at), from: origin,
                within: documents.settings.newcomers)
            let former = try transaction.removePhoto(of: row.account)
            if hasPhoto { try transaction.audit(.photoRemoved, row.account, from: origin) }
            return (try transaction.callersRow(row.account), former)
        }
        await remove(former)
        return IdentityV1.RemovePhotoResponse(account: try await answers.account(row))
    }
}
