import HTTPTypes

@testable import WebService

/// Any frames of a client, in any pieces: the answer consists of whole frames, and no request is
/// left when the connection has ended.
///
/// The first byte chooses the pieces, the rest are frames after the preface of HTTP/2.
package enum HTTP2Fuzz {
    /// A description of what is wrong, or nil.
    package static func finding(_ input: [UInt8]) -> String? {
        guard let choice = input.first else { return nil }
        do {
            return try finding(ProtocolSelector.preface + input.dropFirst(), choice)
        } catch {
            return "\(error)"
        }
    }

    private static func finding(_ bytes: [UInt8], _ choice: UInt8) throws -> String? {
        let http2 = try EmbeddedConnection(http2: true) { exchange in
            let body = try await exchange.body(bytesMax: 1_024)
            exchange.respond(HTTPResponse(status: .ok), body, trailers: [.server: "fuzz"])
        }
        try http2.receive(bytes, inPiecesOf: choice)
        let isGreeted = try http2.sent().first?.kind == 4
        let left = try http2.finish()
        guard isGreeted else { return "the first frame is no SETTINGS" }
        return left == 0 ? nil : "\(left) requests are left"
    }
}
