import Cryptography
import Messages
import NIOCore
import RPC
import ServiceRuntime

/// A method that clients can call.
final class CallMethod: Sendable {
    let description: MethodDescription
    let schema: SchemaMethod
    let target: Target
    /// Of the request, if the method has any.
    private let secrets: SecretFields?

    /// What answers its calls.
    enum Target: Sendable {
        /// The gateway.
        case gateway
        /// This program; a unary method.
        case unary(@Sendable ([UInt8]) throws -> [UInt8])
        /// This program; a method whose server sends items, until the deadline on the uptime clock.
        case stream(@Sendable (inout RequestMessages, CallResponse, Duration) async throws -> Void)
    }

    /// A method of the gateway.
    init(_ description: MethodDescription, _ schema: SchemaMethod) {
        self.description = description
        self.schema = schema
        target = .gateway
        secrets = description.hasSecrets ? SecretFields(of: schema.input) : nil
    }

    /// A method that this program implements.
    init(_ schema: SchemaMethod, timeout: Duration, _ target: Target) {
        self.schema = schema
        self.target = target
        secrets = nil
        description = MethodDescription(
            name: schema.name, isIdempotent: true, timeout: timeout, isOnLoop: false,
            streams: schema.hasRequestItems ? .both : schema.hasResponseItems ? .response : .none)
    }

    /// Items are sent in at least one direction.
    var isStream: Bool { description.streams != .none }

    /// Whether it may be called by GET: a browser, a proxy or a crawler may repeat such a call at
    /// any time, a link on another site can make it, and its request is in logs of URLs.
    var allowsGet: Bool {
        schema.options.hasNoSideEffects && description.isIdempotent && !description.hasSecrets
            && !isStream && schema.options.session == .none
    }

    /// The packed request of a body. With a secret in the request, the body and its copy here are
    /// wiped, and no string of the secret is made.
    /// - Throws: `CallFailure` that names the field that does not fit.
    func packedRequest(
        _ body: ByteBuffer, _ codec: CallFormat.Codec
    ) throws(CallFailure) -> [UInt8] {
        var bytes = Array(body.readableBytesView)
        if description.hasSecrets { body.wipe() }
        guard codec == .json else { return bytes }
        defer { if description.hasSecrets { wipe(&bytes) } }
        do {
            if bytes.isEmpty { bytes = Array("{}".utf8) }
            guard let secrets else {
                return try schema.input.encodeJSON(bytes, ignoresUnknownFields: true)
            }
            return try secrets.packed(&bytes, as: schema.input)
        } catch {
            throw CallFailure(error, of: schema.input.name)
        }
    }

    /// A packed response in the client's codec.
    /// - Throws: `CallFailure` for a response that is not of the method's type.
    func response(
        _ packed: [UInt8], _ codec: CallFormat.Codec
    ) throws(CallFailure) -> [UInt8] {
        guard codec == .json else { return packed }
        do {
            return try schema.output.decodeToUTF8(packed)
        } catch {
            throw CallFailure(.internalError, "The gateway's response does not decode.")
        }
    }
}
