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

    /// Bundles that are uploaded at a time, and of them those of one address and of one site.
    /// Attack: bundles of strangers fill the memory, since only the gateway judges their tokens,
    /// after the body.
    static let uploads = PlaceBounds(total: 32, perAddress: 4, perSite: 8)

    /// Bytes of the bodies that arrive, at a time: as many as 16 of the largest have.
    static let arrivingBytesMax = 16 * bodyBytesMax

    let guests: any GuestsAPI
    let calls: StreamCalls
    private let arriving = ArrivingBodies(bytesMax: arrivingBytesMax)
    private let uploads = ExchangePlaces(uploads)

    /// Answers `PUT /v1/guest-bundle`: with the migration in JSON.
    /// - Throws: `HTTPFailure` 405.
    func respond(to exchange: HTTPExchange) async throws(HTTPFailure) {
        try await calls.answer(put: exchange) {
            let context = try calls.context(GuestsDescription.uploadGuestBundle, exchange)
            let client = calls.callers.address(exchange.head.headerFields, exchange.client)
            let body = try await arriving.body(
                of: exchange, from: client, bytesMax: Self.bodyBytesMax)
            guard let place = uploads.take(exchange, from: client, endableSince: nil) else {
                throw ServiceError(.resourceExhausted, notProcessed: true)
            }
            defer { uploads.give(place) }
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
