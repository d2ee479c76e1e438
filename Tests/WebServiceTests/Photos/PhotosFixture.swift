import Contracts
import Cryptography
import HTTPTypes
import Messages
import NIOCore
import NIOPosix
import RPC
import ServiceRuntime
import Synchronization
import TestSupport

@testable import WebService

/// A listener that answers requests for photos, in front of a profile service in this process.
struct PhotosFixture: Sendable {
    private let client: HTTP1Client
    let profile: FakeProfile

    /// Runs `body`, then stops everything.
    static func run(_ body: @Sendable (PhotosFixture) async throws -> Void) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            try await run(group, body)
        } catch {
            try await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
    }

    private static func run(
        _ group: MultiThreadedEventLoopGroup, _ body: @Sendable (PhotosFixture) async throws -> Void
    ) async throws {
        let profile = FakeProfile()
        let photos = PhotoResponder(
            profile: profile,
            calls: StreamCalls(
                methods: try TestMethods.all, callers: AppsFixture.check, formalLanguages: .none,
                time: SystemTime(), logger: CapturedLog().logger()))
        let listener = try await WebListener.start(
            WebListenerSettings(host: "127.0.0.1", port: 0), group: group, time: SystemTime(),
            randomness: SecureRandomness(), logger: CapturedLog().logger()
        ) { exchange in
            let path = (exchange.head.path ?? "")[...]
            if path.hasPrefix(PhotoResponder.path) {
                try await photos.download(exchange, path)
            } else {
                try await photos.upload(exchange)
            }
        }
        try await body(
            PhotosFixture(
                client: HTTP1Client(group: group, port: listener.port), profile: profile))
        await listener.drain()
    }

    /// Uploads a photo as an app in a session; a field that is nil is not sent.
    func put(_ body: [UInt8], _ changes: [String: String?] = [:]) async throws -> HTTP1Response {
        var fields: [String: String?] = [
            "x-postern-app": AppsFixture.otherKey, "authorization": "Bearer \(FakeProfile.token)",
            "content-length": "\(body.count)", "content-type": "image/jpeg",
        ]
        fields.merge(changes) { $1 }
        return try await client.send(
            "PUT /v1/photo HTTP/1.1", body, fields.compactMapValues(\.self))
    }

    /// Sends a request without a body.
    func send(
        _ method: String, _ path: String, _ fields: [String: String] = [:]
    ) async throws -> HTTP1Response {
        try await client.send("\(method) \(path) HTTP/1.1", [], fields)
    }
}

/// The gateway's profile service, with the photo that was uploaded last.
final class FakeProfile: ProfileAPI {
    static let token = "token"
    static let bytesMax: UInt32 = 5 * 1024 * 1024
    /// A photo whose stream ends with an error after its first part.
    static let broken = "broken"

    private struct State {
        var bytes: [UInt8] = []
        var largestItem = 0
        var context: CallContext?
    }

    private let state = Mutex(State())

    /// The bytes that were uploaded.
    var bytes: [UInt8] { state.withLock { $0.bytes } }
    /// The longest item of an upload, in bytes.
    var largestItem: Int { state.withLock { $0.largestItem } }

    /// The value of a metadata entry of the last call.
    func metadata(_ key: String) -> String? { state.withLock { $0.context?.metadata[key] } }

    private func photo(_ name: String) -> GatewayV1.Photo {
        GatewayV1.Photo(
            name: name, url: "https://auth.example.org/v1/photos/\(name)",
            contentType: "image/jpeg", width: 3, height: 2, bytes: UInt32(bytes.count),
            uploadedAtMs: 7)
    }

    func uploadPhoto(
        _ context: CallContext
    ) -> BidirectionalCall<GatewayV1.UploadPhotoRequest, GatewayV1.UploadPhotoItem> {
        .inProcess { try await self.uploadPhoto($0, $1, context) }
    }

    private func uploadPhoto(
        _ incoming: IncomingItems<GatewayV1.UploadPhotoRequest>,
        _ outgoing: OutgoingItems<GatewayV1.UploadPhotoItem>, _ context: CallContext
    ) async throws {
        state.withLock { $0 = State(context: context) }
        guard context.metadata[Metadata.Key.authorization] == "Bearer \(Self.token)" else {
            throw ServiceError(.invalidAccessToken)
        }
        for try await item in incoming {
            switch item.part {
            case .bytes(let length) where length > Self.bytesMax:
                var error = ServiceError(.invalidPhoto)
                error.violations = [.init(field: "photo", rule: PhotoRule.photoBytes.rawValue)]
                throw error
            case .data(let part):
                let received = state.withLock { state in
                    state.bytes += part
                    state.largestItem = max(state.largestItem, part.count)
                    return state.bytes.count
                }
                try await outgoing.write(.init(receivedBytes: UInt32(received)))
            default: break
            }
        }
        try await outgoing.write(
            .init(receivedBytes: UInt32(bytes.count), photo: photo("new_photo-1")))
    }

    func downloadPhoto(
        _ request: GatewayV1.DownloadPhotoRequest, _ context: CallContext
    ) -> IncomingItems<GatewayV1.DownloadPhotoItem> {
        .inProcess { try await self.downloadPhoto(request, $0, context) }
    }

    private func downloadPhoto(
        _ request: GatewayV1.DownloadPhotoRequest,
        _ items: OutgoingItems<GatewayV1.DownloadPhotoItem>, _ context: CallContext
    ) async throws {
        state.withLock { $0.context = context }
        guard ["new_photo-1", Self.broken].contains(request.name) else {
            throw ServiceError(.notFound)
        }
        try await items.write(.init(part: .photo(photo(request.name))))
        let bytes = bytes
        try await items.write(.init(part: .data(Array(bytes.prefix(1_000)))))
        guard request.name != Self.broken else { throw ServiceError(.unavailable) }
        try await items.write(.init(part: .data(Array(bytes.dropFirst(1_000)))))
    }

    // MARK: Calls that no test of photos makes

    func getProfile(
        _ request: GatewayV1.GetProfileRequest, _ context: CallContext
    ) async throws -> GatewayV1.GetProfileResponse { throw ServiceError(.unknownMethod) }

    func updateProfile(
        _ request: GatewayV1.UpdateProfileRequest, _ context: CallContext
    ) async throws -> GatewayV1.UpdateProfileResponse { throw ServiceError(.unknownMethod) }

    func removePhoto(
        _ request: GatewayV1.RemovePhotoRequest, _ context: CallContext
    ) async throws -> GatewayV1.RemovePhotoResponse { throw ServiceError(.unknownMethod) }
}
