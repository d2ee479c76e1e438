import HTTPTypes
import NIOCore
import Synchronization

@testable import WebService

/// Any bytes of an HTTP/1.1 client: in whatever pieces they arrive, the requests are the same, and
/// none is left when the connection has ended. Attack: a proxy in front forwards other pieces than
/// it was sent, and the next request begins elsewhere (request smuggling).
///
/// The first byte chooses the pieces, the rest are the bytes.
package enum HTTP1Fuzz {
    /// A description of what is wrong, or nil.
    package static func finding(_ input: [UInt8]) -> String? {
        guard let choice = input.first else { return nil }
        do {
            let bytes = Array(input.dropFirst())
            let (whole, leftOfWhole) = try requests(in: bytes, inPiecesOf: 0)
            let (parts, leftOfParts) = try requests(in: bytes, inPiecesOf: max(1, choice))
            guard leftOfWhole == 0, leftOfParts == 0 else {
                return "\(leftOfWhole) and \(leftOfParts) requests are left"
            }
            // A request that is refused before its body has arrived ends the connection.
            guard whole.starts(with: parts) || parts.starts(with: whole) else {
                return "as a whole: \(whole)\nin pieces: \(parts)"
            }
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// The requests that arrived whole, and how many are left after the end.
    private static func requests(
        in bytes: [UInt8], inPiecesOf size: UInt8
    ) throws -> (texts: [String], left: Int) {
        let seen = Seen()
        let http1 = try EmbeddedConnection(http2: false) { exchange in
            // More than an input has.
            let body = try await exchange.body(bytesMax: 64 * 1_024)
            let fields = exchange.head.headerFields.map { "\($0.name)=\($0.value)" }
            seen.texts.withLock {
                $0.append("\(exchange.head) \(fields) \(String(buffer: body))")
            }
            exchange.respond(HTTPResponse(status: .ok), body)
        }
        try http1.receive(bytes, inPiecesOf: size)
        return (seen.texts.withLock { $0 }, try http1.finish())
    }

    private final class Seen: Sendable {
        let texts = Mutex<[String]>([])
    }
}
