import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import TestSupport

@testable import GatewayService

/// A gateway's public services in front of a `GatewayFixture`'s inner services, which it calls as
/// over a wire. It is another instance than the one of `GatewayFixture`, as after a crash, or one
/// that loses a call.
struct RepeatFixture: Sendable {
    var auth: AuthClient { AuthClient(front) }
    var passwords: PasswordsHandler { gateway.passwords }
    var accountSessions: AccountSessionsClient { AccountSessionsClient(front) }
    var providers: ProvidersHandler { gateway.providers }
    var guests: GuestsClient { GuestsClient(front) }
    var methods: SignInMethodsClient { SignInMethodsClient(front) }
    var phone: PhoneSignInHandler { gateway.phoneSignIn }
    var emails: EmailsClient { EmailsClient(front) }
    var documents: DocumentsClient { DocumentsClient(front) }
    var backendDocuments: BackendDocumentsClient { BackendDocumentsClient(front) }
    var profile: ProfileClient { ProfileClient(front) }
    var onboarding: OnboardingClient { OnboardingClient(front) }
    var consents: ConsentsClient { ConsentsClient(front) }
    var dataExports: DataExportsClient { DataExportsClient(front) }
    var accountDeletion: AccountDeletionClient { AccountDeletionClient(front) }
    private var front: InProcessChannel { InProcessChannel(gateway.methods) }
    private let gateway: GatewayService
    private let wire: InnerWire
    private let backend: BackendSigner
    private let time: ManualTime

    /// - Parameter cut: The call that is lost; nil for none.
    init(_ fixture: GatewayFixture, cut: InnerWire.Cut? = nil) throws {
        let wire = InnerWire(fixture.inner, cut: cut)
        self.wire = wire
        backend = fixture.inner.backend
        time = fixture.time
        gateway = try GatewayService(
            settings: try SettingsLoader.settings(),
            peers: GatewayPeers(
                identity: .init(wire, streams: wire, watches: wire),
                session: .init(
                    sessions: SessionsClient(wire), devices: DevicesClient(wire),
                    ends: SessionEndsClient(wire), clock: fixture.inner.sessionClock,
                    relayed: Relay.Channels(calls: wire, streams: wire, watches: wire)),
                limits: LimitsClient(wire)),
            time: fixture.time, randomness: SecureRandomness(),
            logger: fixture.log.logger(time: fixture.time))
    }

    /// A backend's call, signed now, with the idempotency key of `context`.
    func signed(
        _ account: String, _ method: String, _ parts: [String], _ context: CallContext
    ) throws -> GatewayV1.BackendCall {
        try backend.call(
            on: account, method, parts, idempotencyKey: context.idempotencyKey, at: time.now())
    }

    /// Makes a call with an empty request, or one of a document; a stream's items end at once.
    func call(_ method: MethodDescription, _ context: CallContext) async throws {
        let write = GatewayV1.DocumentWrite(collection: "settings", name: "main", json: "{}")
        let request =
            method == DocumentsDescription.writeDocument
            ? GatewayV1.WriteDocumentRequest(write: write).encoded() : []
        guard method.streams != .none else {
            _ = try await front.call(method, packed: .plain(request), context)
            return
        }
        let call = front.stream(method, payload: request, context)
        call.outgoing.finish()
        for try await _ in call.incoming { return }
        _ = try await call.response()
    }

    /// The calls made to the inner services so far, in order.
    var calls: [MethodDescription] { wire.calls }
}
