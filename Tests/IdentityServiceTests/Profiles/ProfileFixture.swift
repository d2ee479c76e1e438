import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import PersonalData

extension IdentityFixture {
    var profiles: ProfileHandler { service.data.profiles }

    /// The same handler with another setting, or over other blobs.
    func profiles(
        _ photos: PhotoAccess = .owner, over blobs: (any BlobStore)? = nil
    ) -> ProfileHandler {
        var other = dataSettings
        other.photos = photos
        return ProfileHandler(
            settings: other, store: store, writer: writer, answers: profiles.answers,
            documents: profiles.documents, activity: profiles.activity,
            blobs: blobs ?? service.blobs, uploads: profiles.uploads)
    }

    /// Uploads a photo in parts of `part` bytes.
    /// - Parameter blobs: Those of the service, or what shows them to the upload.
    /// - Returns: the items.
    func upload(
        _ file: [UInt8], _ token: String?, part: Int = 50, saying bytes: Int? = nil,
        over blobs: (any BlobStore)? = nil
    ) async throws -> [GatewayV1.UploadPhotoItem] {
        let call = profiles(over: blobs).uploadPhoto(relayed(token))
        let length = UInt32(bytes ?? file.count)
        async let sent: Void = {
            // A refused upload ends the items; its error is that of the answer.
            try? await call.outgoing.write(.init(part: .bytes(length)))
            for start in stride(from: 0, to: file.count, by: part) {
                let data = Array(file[start..<min(start + part, file.count)])
                try? await call.outgoing.write(.init(part: .data(data)))
            }
            call.outgoing.finish()
        }()
        var items: [GatewayV1.UploadPhotoItem] = []
        for try await item in call.incoming { items.append(item) }
        await sent
        return items
    }

    /// The photo of a download and its bytes.
    /// - Parameter token: nil outside a session.
    func download(
        _ name: String, _ token: String? = nil, _ photos: PhotoAccess = .owner
    ) async throws -> (photo: GatewayV1.Photo?, bytes: [UInt8]) {
        var (photo, bytes) = (GatewayV1.Photo?.none, [UInt8]())
        let items = profiles(photos).downloadPhoto(.init(name: name), relayed(token))
        for try await item in items {
            switch item.part {
            case .photo(let head): photo = head
            case .data(let data): bytes += data
            case nil: Issue.record("an empty item")
            }
        }
        return (photo, bytes)
    }

    func blobs() async throws -> [BlobName] {
        try await service.blobs.names(begunBy: time.now())
    }

    /// - Parameter blobs: Those of the service, or what shows them to the sweep.
    func sweep(_ blobs: (any BlobStore)? = nil) async throws {
        try await BlobSweep(
            store: store, blobs: blobs ?? service.blobs,
            findings: service.life.accountAdmin.orphans.findings, time: time, logger: log.logger(),
            startedAt: time.now()
        ).sweep()
    }
}
