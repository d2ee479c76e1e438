import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import GatewayService
@testable import SessionService

@Suite("Streams take no place of other calls", .timeLimit(.minutes(1)))
struct StreamChannelTests {
    @Test("followers, archives, photos and bundles have channels of their own")
    func channels() async throws {
        let fixture = try await GatewayFixture()
        let ada = try await fixture.signUp()
        let context = fixture.context().bearing(ada.session.accessToken)
        let (calls, streams) = (RecordingChannel(), RecordingChannel())
        let watches = RecordingChannel()
        let session = fixture.inner.sessionService
        let gateway = try GatewayService(
            settings: try SettingsLoader.settings(),
            peers: GatewayPeers(
                identity: .init(calls, streams: streams, watches: watches),
                session: .init(
                    sessions: session.sessions, devices: session.devices,
                    ends: session.ends, clock: fixture.inner.sessionClock,
                    relayed: fixture.inner.sessionOwner),
                limits: fixture.inner.limits),
            time: fixture.time, randomness: SecureRandomness(),
            logger: fixture.log.logger(time: fixture.time))
        let front = InProcessChannel(gateway.methods)
        let (documents, profile) = (DocumentsClient(front), ProfileClient(front))
        let exports = DataExportsClient(front)
        _ = try await refusal {
            try await documents.watchDocuments(.init(), context).all()
        }
        _ = try await refusal { try await exports.watchDataExport(.init(), context).all() }
        _ = try await refusal { try await exports.fetchDataExport(.init(), context).all() }
        _ = try await refusal {
            try await profile.downloadPhoto(.init(name: "a"), context).all()
        }
        let upload = profile.uploadPhoto(context)
        try await upload.outgoing.write(.init(part: .bytes(1)))
        upload.outgoing.finish()
        _ = try await refusal { try await upload.incoming.all() }
        _ = try await refusal {
            try await GuestsClient(front).watchMigration(.init(), context).all()
        }
        _ = try await refusal { try await GuestsClient(front).upload([.goals], in: context) }
        _ = try await refusal {
            try await documents.readDocument(.init(collection: "a", name: "b"), context)
        }
        #expect(
            streams.methods == [
                DataExportsDescription.fetchDataExport.name,
                ProfileDescription.downloadPhoto.name,
                ProfileDescription.uploadPhoto.name,
                GuestsDescription.uploadGuestBundle.name,
            ])
        #expect(
            watches.methods == [
                DocumentsDescription.watchDocuments.name,
                DataExportsDescription.watchDataExport.name,
                GuestsDescription.watchMigration.name,
            ])
        #expect(calls.methods == [DocumentsDescription.readDocument.name])
    }
}

/// Records the methods that are called, and refuses all of them.
private final class RecordingChannel: PackedChannel {
    private let made = Mutex<[String]>([])

    /// The names of the methods, in order.
    var methods: [String] { made.withLock { $0 } }

    private func record(_ method: MethodDescription) {
        made.withLock { $0.append(method.name) }
    }

    func call<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ request: Request, _ context: CallContext
    ) async throws -> Response {
        record(method)
        throw ServiceError(.unknownMethod)
    }

    func call(
        _ method: MethodDescription, packed payload: OutgoingRequest.Payload,
        _ context: CallContext
    ) async throws -> [UInt8] {
        record(method)
        throw ServiceError(.unknownMethod)
    }

    func stream(
        _ method: MethodDescription, payload: [UInt8], _ context: CallContext
    ) -> PackedStreamCall {
        record(method)
        return .inProcess(payload, context) { _ in throw ServiceError(.unknownMethod) }
    }

    func serverStream<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ request: Request, _ context: CallContext
    ) -> IncomingItems<Response> {
        record(method)
        return .inProcess { _ in throw ServiceError(.unknownMethod) }
    }

    func clientStream<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ context: CallContext
    ) -> ClientStreamCall<Request, Response> {
        record(method)
        return .inProcess { _ in throw ServiceError(.unknownMethod) }
    }

    func bidirectional<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ context: CallContext
    ) -> BidirectionalCall<Request, Response> {
        record(method)
        return .inProcess { _, _ in throw ServiceError(.unknownMethod) }
    }
}
