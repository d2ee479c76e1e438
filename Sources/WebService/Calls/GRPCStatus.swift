import Cryptography
import HTTPTypes
import Messages
import RPC
import ServiceRuntime

/// The result of a call in gRPC: its trailers. `grpc-status-details-bin` is a `google.rpc.Status`
/// (https://github.com/googleapis/googleapis/blob/master/google/rpc/status.proto), whose details
/// are our error, and what it says in the field's own messages (`error_details.proto` beside it).
enum GRPCStatus {
    /// The trailers of a call that failed, or with nil of one that succeeded.
    static func trailers(_ failure: CallFailure?, in voice: Voice) -> HTTPFields {
        guard let failure else { return [.grpcStatus: "0"] }
        return [
            .grpcStatus: "\(failure.callStatus.rawValue)",
            .grpcMessage: percentEncoded(failure.message),
            .grpcStatusDetails: Base64.encodeUnpadded(details(failure, voice)),
        ]
    }

    /// Space and the visible characters of ASCII without `%` are sent as they are.
    static func percentEncoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { out, byte in
            if (0x20...0x7e).contains(byte), byte != UInt8(ascii: "%") {
                out.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                out += "%" + Hex.encode([byte]).uppercased()
            }
        }
    }

    /// `google.rpc.Status`: code = 1, message = 2, details = 3.
    static func details(_ failure: CallFailure, _ voice: Voice) -> [UInt8] {
        let error = failure.error
        let own = WireV1.Error(error)
        var status = FieldWriter()
        status.append(1, .varint(UInt64(failure.callStatus.rawValue)))
        status.append(2, .text(failure.message))
        status.append(3, any(WireV1.Error.fullName, own.encoded()))
        status.append(3, localized(error, own.userMessage, voice))
        if let wait = error.retryAfter { status.append(3, retry(wait)) }
        if !own.violations.isEmpty { status.append(3, badRequest(own.violations)) }
        return status.bytes
    }

    /// `google.protobuf.Any`: type_url = 1, value = 2.
    private static func any(_ type: String, _ message: [UInt8]) -> ScannedValue {
        var any = FieldWriter()
        any.append(1, .text("type.googleapis.com/\(type)"))
        any.append(2, .bytes(message[...]))
        return .bytes(any.bytes[...])
    }

    /// `google.rpc.LocalizedMessage`: locale = 1, message = 2. The catalogue's own sentence is in
    /// English.
    private static func localized(
        _ error: ServiceError, _ sentence: String, _ voice: Voice
    ) -> ScannedValue {
        var message = FieldWriter()
        let locale = error.sentence == nil ? .english : voice.language
        message.append(1, .text(locale.rawValue))
        message.append(2, .text(sentence))
        return any("google.rpc.LocalizedMessage", message.bytes)
    }

    /// `google.rpc.RetryInfo`: retry_delay = 1, a `google.protobuf.Duration`: seconds = 1,
    /// nanos = 2.
    private static func retry(_ wait: Duration) -> ScannedValue {
        let milliseconds = max(0, wait.milliseconds)
        var duration = FieldWriter()
        duration.append(1, .varint(UInt64(milliseconds / 1_000)))
        duration.append(2, .varint(UInt64(milliseconds % 1_000 * 1_000_000)))
        var retry = FieldWriter()
        retry.append(1, .bytes(duration.bytes[...]))
        return any("google.rpc.RetryInfo", retry.bytes)
    }

    /// `google.rpc.BadRequest`: field_violations = 1, with field = 1, description = 2, reason = 3.
    private static func badRequest(_ violations: [WireV1.Violation]) -> ScannedValue {
        var request = FieldWriter()
        for violation in violations {
            var field = FieldWriter()
            field.append(1, .text(violation.field))
            if !violation.sentence.isEmpty { field.append(2, .text(violation.sentence)) }
            if !violation.rule.isEmpty { field.append(3, .text(violation.rule)) }
            request.append(1, .bytes(field.bytes[...]))
        }
        return any("google.rpc.BadRequest", request.bytes)
    }
}

extension ScannedValue {
    /// A text.
    static func text(_ text: String) -> ScannedValue { .bytes(Array(text.utf8)[...]) }
}
