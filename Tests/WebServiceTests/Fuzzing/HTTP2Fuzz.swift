import HTTPTypes
import NIOCore
import NIOEmbedded

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
        let http2 = try EmbeddedHTTP2 { exchange in
            let body = try await exchange.body(bytesMax: 1_024)
            exchange.respond(HTTPResponse(status: .ok), body, trailers: [.server: "fuzz"])
        }
        var rest = bytes[...]
        while !rest.isEmpty, http2.channel.isActive {
            let count = choice == 0 ? rest.count : min(rest.count, Int(choice))
            try http2.receive(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        let isGreeted = try http2.sent().first?.kind == 4
        _ = try http2.channel.finish(acceptAlreadyClosed: true)
        http2.channel.embeddedEventLoop.run()
        guard isGreeted else { return "the first frame is no SETTINGS" }
        let left = http2.connection.runningCount
        return left == 0 ? nil : "\(left) requests are left"
    }
}
