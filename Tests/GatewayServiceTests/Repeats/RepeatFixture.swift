import Contracts
import Cryptography
import Messages
import PublicCalls
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

/// A gateway's public services in front of a `GatewayFixture`'s inner services, which it calls as
/// over a wire. It is another instance than the one of `GatewayFixture`, as after a crash, or one
/// that loses a call.
struct RepeatFixture: Sendable {
    var auth: AuthClient { AuthClient(front) }
    var accountSessions: AccountSessionsClient { AccountSessionsClient(front) }
    private var front: InProcessChannel { InProcessChannel(gateway.methods) }
    private let gateway: GatewayService
    private let wire: InnerWire

    /// - Parameters:
    ///   - flags: The gateway's settings, as on a command line.
    ///   - cut: The call that is lost; nil for none.
    init(
        _ fixture: GatewayFixture, flags: [String] = [], cut: InnerWire.Cut? = nil
    ) throws {
        let wire = InnerWire(fixture.inner, cut: cut)
        self.wire = wire
        gateway = try GatewayService(
            settings: try SettingsLoader.settings(flags),
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

    /// Makes a person's call.
    /// - Returns: the part of its response that a repeat gets too.
    /// - Throws: `ServiceError`.
    func send(
        _ call: PublicCall, _ messages: [[UInt8]], by person: PreparedPerson
    ) async throws -> RepeatedResponse {
        try await send(call, messages, in: person.contextAtGateway(of: call))
    }

    /// The same in a context of its own.
    func send(
        _ call: PublicCall, _ messages: [[UInt8]], in context: CallContext
    ) async throws -> RepeatedResponse {
        let response = try await LiveCallers.send(call.method, messages, by: front, context)
        return try RepeatedResponse(response, of: call.method)
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

extension GatewayFixture {
    /// The effects of calls so far: audit records of identity and session, sessions, messages, and
    /// writes of documents. A record of a repeated response is no effect. Those of documents come
    /// when their hour is over (`DocumentAudit`); the documents' versions are counted.
    func effects() async throws -> [Int64] {
        try await inner.settle()
        return [
            try await inner.count(
                inner.identityStore, "audit", where: "kind NOT LIKE 'document.%'"),
            try await inner.count(
                inner.sessionStore, "audit", where: "kind <> 'session.refresh-repeated'"),
            try await inner.count(inner.sessionStore, "session"),
            try await inner.count(inner.notificationStore, "message"),
            try await inner.documentVersions(),
        ]
    }
}
