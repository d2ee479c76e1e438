import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension ProfileHandler {
    /// Removes the photo, also a provider's picture. Later sign-ins do not bring that back (G-17).
    func removePhoto(
        _ request: GatewayV1.RemovePhotoRequest, _ call: AccountCall
    ) async throws -> GatewayV1.RemovePhotoResponse {
        let (row, former) = try await store.write(about: [.account(call.account)]) {
            transaction in
            let row = try transaction.changeableRow(call.account)
            let hasPhoto = row.photo != nil || row.sealedPhotoURL != nil
            // Without a photo it still records that a provider's must not come back.
            guard hasPhoto || !row.isPhotoEdited else { return (row, BlobName?.none) }
            try transaction.requireRoom(
                for: NewcomerBytes.callBytes, of: row.newcomer(at: transaction.at),
                from: call.origin,
                within: documents.newcomers)
            let former = try transaction.removePhoto(of: row.account)
            if hasPhoto { try transaction.audit(.photoRemoved, row.account, from: call.origin) }
            return (try transaction.callersRow(row.account), former)
        }
        await remove(former)
        return GatewayV1.RemovePhotoResponse(account: try await answers.account(row))
    }
}
