import Addresses
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

/// A listener that answers requests for guests' bundles, in front of a guests' service in this
/// process.
struct GuestBundleFixture: Sendable {
    private let client: HTTP1Client
    let guests: FakeGuests

    /// Runs `body`, then stops everything.
    static func run(
        _ guests: FakeGuests = FakeGuests(),
        _ body: @Sendable (GuestBundleFixture) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var failure: (any Error)?
        do {
            try await run(guests, group, body)
        } catch { failure = error }
        try await group.shutdownGracefully()
        if let failure { throw failure }
    }

    private static func run(
        _ guests: FakeGuests, _ group: MultiThreadedEventLoopGroup,
        _ body: @Sendable (GuestBundleFixture) async throws -> Void
    ) async throws {
        let proxies = ["127.0.0.1/32"].compactMap(AddressNetwork.init)
        let bundles = GuestBundleResponder(
            guests: guests,
            calls: StreamCalls(
                methods: try TestMethods.all, callers: AppsFixture.check(trusting: proxies),
                formalLanguages: .none, time: SystemTime(), logger: CapturedLog().logger()))
        let listener = try await WebListener.start(
            WebListenerSettings(
                host: "127.0.0.1", port: 0, trustedProxies: proxies),
            group: group, time: SystemTime(),
            randomness: SecureRandomness(), logger: CapturedLog().logger()
        ) { exchange in
            try await bundles.respond(to: exchange)
        }
        try await body(
            GuestBundleFixture(
                client: HTTP1Client(group: group, port: listener.port), guests: guests))
        await listener.drain()
    }

    /// Uploads a bundle as an app in a session; a field that is nil is not sent.
    func put(
        _ body: String, _ changes: [String: String?] = [:], method: String = "PUT"
    ) async throws -> HTTP1Response {
        var fields: [String: String?] = [
            "x-postern-app": AppsFixture.otherKey, "authorization": "Bearer \(FakeGuests.token)",
            "content-length": "\(body.utf8.count)", "content-type": "application/json",
        ]
        fields.merge(changes) { $1 }
        return try await client.send(
            "\(method) /v1/guest-bundle HTTP/1.1", Array(body.utf8), fields.compactMapValues(\.self)
        )
    }
}

/// The gateway's guests' service, with the documents that were uploaded last.
final class FakeGuests: GuestsAPI {
    static let token = "token"

    private struct State {
        var announced: UInt32 = 0
        var documents: [GatewayV1.BundledDocument] = []
        var context: CallContext?
        var waiting = 0
    }

    private let state = Mutex(State())
    private let gate: AsyncStream<Void>?

    /// - Parameter gate: It takes no item before this has ended; nil for at once.
    init(gate: AsyncStream<Void>? = nil) { self.gate = gate }

    /// The number of documents in the head.
    var announced: UInt32 { state.withLock { $0.announced } }
    var documents: [GatewayV1.BundledDocument] { state.withLock { $0.documents } }
    /// The number of calls that have begun.
    var begun: Int { state.withLock { $0.waiting } }

    /// The value of a metadata entry of the last call.
    func metadata(_ key: String) -> String? { state.withLock { $0.context?.metadata[key] } }

    func uploadGuestBundle(
        _ context: CallContext
    ) -> BidirectionalCall<GatewayV1.UploadGuestBundleRequest, GatewayV1.UploadGuestBundleItem> {
        .inProcess { try await self.uploadGuestBundle($0, $1, context) }
    }

    private func uploadGuestBundle(
        _ incoming: IncomingItems<GatewayV1.UploadGuestBundleRequest>,
        _ outgoing: OutgoingItems<GatewayV1.UploadGuestBundleItem>, _ context: CallContext
    ) async throws {
        state.withLock { $0 = State(context: context, waiting: $0.waiting + 1) }
        if let gate { for await _ in gate {} }
        guard context.metadata[Metadata.Key.authorization] == "Bearer \(Self.token)" else {
            throw ServiceError(.invalidAccessToken)
        }
        for try await item in incoming {
            let received = state.withLock { state in
                switch item.part {
                case .head(let head): state.announced = head.documents
                case .document(let document): state.documents.append(document)
                case nil: break
                }
                return state.documents.count
            }
            if documents.contains(where: { $0.collection == "full" }) {
                throw ServiceError(.documentQuota)
            }
            try await outgoing.write(.init(receivedDocuments: UInt32(received)))
        }
        try await outgoing.write(
            .init(
                receivedDocuments: announced,
                migration: .init(
                    migrationId: "mig_0000000000001", state: .waiting, documents: announced,
                    createdAtMs: 7, changedAtMs: 7)))
    }

    // MARK: Calls that no test of bundles makes

    func signInAsGuest(
        _ request: GatewayV1.SignInAsGuestRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignInAsGuestResponse { throw ServiceError(.unknownMethod) }

    func compareGuest(
        _ request: GatewayV1.CompareGuestRequest, _ context: CallContext
    ) async throws -> GatewayV1.CompareGuestResponse { throw ServiceError(.unknownMethod) }

    func chooseGuestData(
        _ request: GatewayV1.ChooseGuestDataRequest, _ context: CallContext
    ) async throws -> GatewayV1.ChooseGuestDataResponse { throw ServiceError(.unknownMethod) }

    func getMigration(
        _ request: GatewayV1.GetMigrationRequest, _ context: CallContext
    ) async throws -> GatewayV1.GetMigrationResponse { throw ServiceError(.unknownMethod) }

    func watchMigration(
        _ request: GatewayV1.WatchMigrationRequest, _ context: CallContext
    ) -> IncomingItems<GatewayV1.WatchMigrationItem> {
        .inProcess { _ in throw ServiceError(.unknownMethod) }
    }

    func retryMigration(
        _ request: GatewayV1.RetryMigrationRequest, _ context: CallContext
    ) async throws -> GatewayV1.RetryMigrationResponse { throw ServiceError(.unknownMethod) }
}
