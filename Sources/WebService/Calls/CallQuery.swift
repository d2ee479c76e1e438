import Cryptography
import HTTPTypes
import ServiceRuntime

/// The query of a GET call of Connect.
struct CallQuery: Hashable, Sendable {
    let codec: CallFormat.Codec
    let message: [UInt8]

    /// Reads a query, without its `?`. Parameters are accepted in any order, and unknown ones are
    /// ignored.
    /// - Throws: `CallFailure` that says which parameter is wrong.
    init(_ query: some StringProtocol) throws(CallFailure) {
        var values: [String: [UInt8]] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = FormParameters.bytes(parts[0].utf8),
                let value = FormParameters.bytes((parts.count == 2 ? parts[1] : "").utf8)
            else { throw Self.invalid("The query has an invalid percent encoding.") }
            values[String(decoding: name, as: UTF8.self)] = value
        }
        func text(_ name: String) -> String? {
            values[name].map { String(decoding: $0, as: UTF8.self) }
        }
        guard text("connect") == "v1" else {
            throw Self.invalid("A GET call needs connect=v1 in its query; or use POST.")
        }
        if let compression = text("compression"), compression != "identity" {
            throw .unsupportedEncoding(accepted: .acceptEncoding)
        }
        guard let codec = text("encoding").flatMap(CallFormat.Codec.init) else {
            throw CallFailure(
                .invalidArgument, "The query needs encoding=json or encoding=proto.",
                status: .unsupportedMediaType)
        }
        guard let message = values["message"] else {
            throw Self.invalid("The query needs message=, which may be empty.")
        }
        self.codec = codec
        self.message = try text("base64") == "1" ? Self.base64Decoded(message) : message
    }

    private static func base64Decoded(_ text: [UInt8]) throws(CallFailure) -> [UInt8] {
        guard let bytes = Base64.decodeLeniently(text) else {
            throw invalid("The parameter message is not base64.")
        }
        return bytes
    }

    private static func invalid(_ reason: String) -> CallFailure {
        CallFailure(.invalidArgument, reason)
    }
}
