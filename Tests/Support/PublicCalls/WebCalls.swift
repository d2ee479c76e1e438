import Contracts
import JSON
import Messages
package import RPC

/// Calls of the web service by Connect with binary messages, as an app makes them.
package struct WebCalls: Sendable {
    /// Its URL, the audience of backends' tokens.
    package let url: String
    private let port: Int
    private let appKey: String

    /// At the web service that an `endpoints.json` describes.
    /// - Parameters:
    ///   - text: the file's text.
    ///   - port: the port on which the web service listens.
    /// - Throws: `CallFailure`.
    package init(endpoints text: String, port: Int) throws {
        guard let web = JSONReader.object(in: Array(text.utf8))?["web"]?.object,
            let url = web["url"]?.string, let key = web["app_key"]?.string
        else { throw CallFailure("endpoints.json has no web service") }
        (self.url, appKey) = (url, key)
        self.port = port
    }

    /// Makes a call, and leaves a stream that has no end where it is up to date.
    /// - Returns: its outcome and the bytes of the response's body.
    package func send(
        _ method: MethodDescription, _ messages: [[UInt8]], _ context: CallContext, number: Int
    ) throws -> (outcome: String, bytes: Int) {
        let isStream = method.streams == .response
        let (line, type, body) = try Self.request(method, messages)
        var fields = [
            "\(line) HTTP/1.1", "host: \(url.split(separator: "/").last ?? "")",
            "connection: close", "content-type: \(type)",
            "content-length: \(body.count)", "x-postern-app: \(appKey)",
        ]
        for key in [Metadata.Key.authorization, Metadata.Key.idempotencyKey] {
            if let value = context.metadata[key] { fields.append("\(key): \(value)") }
        }
        let head = fields.joined(separator: "\r\n") + "\r\n\r\n"
        var response = HTTPResponse()
        try LoopbackHTTP.exchange(
            Array(head.utf8) + body, port: port, from: "127.18.\(number / 250).\(number % 250 + 1)"
        ) { part in
            response.read(part)
            guard method.isWatch else { return true }
            return try !response.frames.contains { try LiveCallers.isUpToDate(method, $0) }
        }
        return (response.outcome(isStream: isStream), response.body.count)
    }

    /// Method and path, content type and body. An upload is a PUT, since Connect needs HTTP/2 for
    /// one.
    private static func request(
        _ method: MethodDescription, _ messages: [[UInt8]]
    ) throws -> (line: String, type: String, body: [UInt8]) {
        switch (method, method.streams) {
        case (ProfileDescription.uploadPhoto, _):
            let parts = try messages.map { try GatewayV1.UploadPhotoRequest(decoding: $0).part }
            let bytes = parts.flatMap { part -> [UInt8] in
                if case .data(let bytes) = part { bytes } else { [] }
            }
            return ("PUT /v1/photo", "image/jpeg", bytes)
        case (GuestsDescription.uploadGuestBundle, _):
            let parts = try messages.map {
                try GatewayV1.UploadGuestBundleRequest(decoding: $0).part
            }
            let documents = parts.compactMap { part -> JSONValue? in
                guard case .document(let document) = part else { return nil }
                return .object([
                    "collection": .string(document.collection), "name": .string(document.name),
                    "json": .string(document.json), "changedAtMs": .integer(document.changedAtMs),
                ])
            }
            let text = JSONWriter.text(["documents": .array(documents)])
            return ("PUT /v1/guest-bundle", "application/json", Array(text.utf8))
        case (_, .none): return ("POST /\(method.name)", "application/proto", messages[0])
        default:
            return ("POST /\(method.name)", "application/connect+proto", frame(messages[0]))
        }
    }

    /// A message in Connect's framing.
    private static func frame(_ message: [UInt8]) -> [UInt8] {
        [0] + withUnsafeBytes(of: UInt32(message.count).bigEndian) { Array($0) } + message
    }
}

/// A response as far as it has arrived.
private struct HTTPResponse {
    private var bytes: [UInt8] = []
    private var head = ""
    private var parsed = 0
    private(set) var body: [UInt8] = []

    mutating func read(_ part: ArraySlice<UInt8>) {
        bytes += part
        if head.isEmpty {
            guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
            head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).lowercased()
            parsed = end.upperBound
        }
        guard head.contains("transfer-encoding: chunked") else {
            body += bytes[parsed...]
            parsed = bytes.count
            return
        }
        while let line = bytes[parsed...].firstRange(of: [13, 10]) {
            let size = String(decoding: bytes[parsed..<line.lowerBound], as: UTF8.self)
            let end = line.upperBound + (Int(size, radix: 16) ?? 0)
            guard end + 2 <= bytes.count else { return }
            body += bytes[line.upperBound..<end]
            parsed = end + 2
        }
    }

    /// The messages of a stream; the last frame, which has the result, is none.
    var frames: [[UInt8]] {
        var (frames, rest) = ([[UInt8]](), body[...])
        while rest.count >= 5 {
            let size = rest.dropFirst().prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= 5 + size else { break }
            if rest.first == 0 { frames.append(Array(rest.dropFirst(5).prefix(size))) }
            rest = rest.dropFirst(5 + size)
        }
        return frames
    }

    /// "ok", or the code of the error.
    func outcome(isStream: Bool) -> String {
        let status = head.split(separator: " ").dropFirst().first.map(String.init) ?? "none"
        let text = String(decoding: body.suffix(4_096), as: UTF8.self)
        if status == "200", !isStream || !text.contains("\"error\"") { return "ok" }
        let code = text.firstMatch(of: /(auth|rpc)\/[a-z-]+/)
        return code.map { String($0.output.0) } ?? "HTTP \(status)"
    }
}
