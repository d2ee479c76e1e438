import Cryptography
import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension ProfileHandler {
    /// Sends a photo to those whom the setting `photos` allows it (G-17). One answer for all others
    /// and for names that do not exist.
    func downloadPhoto(
        _ request: GatewayV1.DownloadPhotoRequest,
        _ items: OutgoingItems<GatewayV1.DownloadPhotoItem>, _ context: CallContext
    ) async throws {
        let caller = try await calls.optionalOwner(in: context)?.account
        let nameKey = keys.photos.lookUpKey(Array(request.name.utf8))
        let found = try await store.read { session in
            try session.photo(nameKey: nameKey).flatMap { photo in
                try session.account(photo.account).map { (photo, account: $0) }
            }
        }
        guard let (photo, account) = found, account.status.isUsable,
            settings.photos == .public || caller == account.account
        else { throw Self.notFound }
        let vault = try reader.vault(account)
        for index in 0..<photo.parts {
            guard let part = try await photo.part(index, in: blobs, vault) else {
                throw Self.notFound
            }
            if index == 0 {
                try await items.write(.init(part: .photo(photo.message(vault, answers.photos))))
            }
            try await items.write(.init(part: .data(part)))
        }
    }

    private static var notFound: ServiceError { ServiceError(.notFound, fields: ["name"]) }
}
