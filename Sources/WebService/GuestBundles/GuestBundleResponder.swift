import Contracts
import HTTPTypes
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
/// The first item of the stream has the number of documents, so the whole body is read before; its
/// documents are read and sent one at a time.
struct GuestBundleResponder: Sendable {
    /// Twice an account's quota of documents by default, since quotes in `json` are escaped.
    private static let bodyBytesMax = 2 * 1024 * 1024

    /// Bodies in memory at a time, and of them those of one address. Attack: bundles of strangers
    /// fill the memory, since only the gateway judges their tokens, after the body.
    static let bodiesMax = 32
    static let bodiesPerAddressMax = 4

    let guests: any GuestsAPI
    let calls: StreamCalls
    private let slots = ClientSlots(countMax: bodiesMax, perAddressMax: bodiesPerAddressMax)

    /// Answers `PUT /v1/guest-bundle`: with the migration in JSON.
    /// - Throws: `HTTPFailure` 405.
    func respond(to exchange: HTTPExchange) async throws(HTTPFailure) {
        try await calls.answer(put: exchange) {
            let context = try calls.context(GuestsDescription.uploadGuestBundle, exchange)
            let client = calls.callers.address(exchange.head.headerFields, exchange.client)
            guard slots.take(client) else {
                throw ServiceError(.resourceExhausted, notProcessed: true)
            }
            defer { slots.give(client) }
            let body = try await exchange.body(bytesMax: Self.bodyBytesMax)
            let bundle = try GuestBundle(Array(body.readableBytesView))
            return try Self.json.text(of: await upload(bundle, context))
        }
    }

    private static let json = MessageJSON<GatewayV1.Migration>(of: GuestsDescription.service)

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
        } result: { items in
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
