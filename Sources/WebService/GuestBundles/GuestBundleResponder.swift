import Contracts
import HTTPTypes
import Logging
import Messages
import NIOCore
import RPC
import ServiceRuntime

/// What an app kept on the device while its user was a guest, by HTTP (G-16), since browsers cannot
/// send streams:
///
///     PUT  /v1/guest-bundle  `Guests/UploadGuestBundle` in the caller's session, with the
///                            documents in one JSON object; the answer is the migration
///
/// Errors have the form of those of unary calls. The first item of the stream has the number of
/// documents, so the whole body is read before; its documents are read and sent one at a time.
final class GuestBundleResponder: Sendable {
    /// Twice an account's quota of documents by default, since quotes in `json` are escaped.
    private static let bodyBytesMax = 2 * 1024 * 1024

    private let guests: any GuestsAPI
    private let methods: CallMethods
    private let callers: CallerCheck
    private let formalLanguages: FormalLanguages
    private let time: any Time
    private let logger: Logger
    private let slots = BundleSlots()

    init(
        guests: any GuestsAPI, methods: CallMethods, callers: CallerCheck,
        formalLanguages: FormalLanguages, time: any Time, logger: Logger
    ) {
        self.guests = guests
        self.methods = methods
        self.callers = callers
        self.formalLanguages = formalLanguages
        self.time = time
        self.logger = logger
    }

    /// Answers `PUT /v1/guest-bundle`: with the migration in JSON.
    /// - Throws: `HTTPFailure` 405.
    func respond(to exchange: HTTPExchange) async throws(HTTPFailure) {
        guard exchange.head.method == .put else { throw HTTPFailure(allowing: "PUT") }
        let response = CallResponse(
            exchange, nil, .plain, fields: callers.responseFields(of: exchange.head),
            formalLanguages.voice(for: exchange.head.headerFields))
        do {
            let context = try context(of: exchange)
            let client = callers.address(exchange.head.headerFields, exchange.connection)
            guard slots.take(client) else {
                throw ServiceError(.resourceExhausted, notProcessed: true)
            }
            defer { slots.give(client) }
            let body = try await exchange.body(bytesMax: Self.bodyBytesMax)
            let bundle = try GuestBundle(Array(body.readableBytesView))
            let migration = try await upload(bundle, context)
            try response.send(Array(Self.json.text(of: migration).utf8))
        } catch is CancellationError {
            // The client is gone.
        } catch {
            response.fail(CallFailure(error, logger: logger))
        }
    }

    private static let json = MessageJSON<GatewayV1.Migration>(of: GuestsDescription.service)

    /// The context of the stream, of a caller that may call it.
    private func context(of exchange: HTTPExchange) throws -> CallContext {
        let method = GuestsDescription.uploadGuestBundle
        guard let schema = methods[method.name]?.schema else { throw ServiceError(.unknownMethod) }
        let caller = try callers.caller(of: exchange.head, exchange.connection, method: schema)
        // A backend's token has no hash of the body, as for other streams.
        try caller.check(body: [])
        var metadata = Metadata(of: exchange.head.headerFields, from: caller)
        metadata[Metadata.Key.idempotencyKey] = try metadata[Metadata.Key.idempotencyKey].map {
            key throws(ServiceError) in
            try BoundIdempotencyKey.bound(key, of: caller, request: [], method: schema)
        }
        // The body arrives within it, so the client decides what is left for the gateway.
        return CallContext(
            deadline: time.uptime() + method.timeout, isCallersDeadline: true, metadata: metadata)
    }

    private func upload(
        _ bundle: GuestBundle, _ context: CallContext
    ) async throws -> GatewayV1.Migration {
        try await guests.uploadGuestBundle(context).upload { outgoing in
            try await outgoing.write(
                GatewayV1.UploadGuestBundleRequest(
                    part: .head(GatewayV1.GuestBundleHead(documents: UInt32(bundle.count)))))
            for index in 0..<bundle.count {
                let document = try bundle.document(at: index)
                try await outgoing.write(
                    GatewayV1.UploadGuestBundleRequest(part: .document(document)))
            }
        } _: { items in
            var migration: GatewayV1.Migration?
            for try await item in items { migration = item.migration ?? migration }
            guard let migration else {
                throw ServiceError(
                    .internalError, detail: "a bundle was answered without its migration")
            }
            return migration
        }
    }
}
