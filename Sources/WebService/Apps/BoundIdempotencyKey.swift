import Cryptography
package import Messages
import RPC
package import ServiceRuntime

/// The idempotency key of an app's call as the gateway receives it.
///
/// All apps call the gateway as one application, the web service, so their keys meet in one table.
/// The attack: a repeated key is answered with the stored response. A visitor who uses another
/// one's key, by guessing it or because an app makes poor ones, would receive the session of the
/// other one's new guest account. So a key counts only within its app and device, and cannot be
/// short. A backend's key goes on as it is: the gateway knows the backend by its token.
package enum BoundIdempotencyKey {
    private static let bytesMin = 16
    /// As for the gateway.
    private static let bytesMax = 255
    private static let purpose = Array("postern web idempotency key v1".utf8)

    /// The key for the gateway.
    /// - Parameters:
    ///   - key: The request's `idempotency-key`.
    ///   - request: The packed request. The device is its `device.device_id`, or else empty.
    /// - Throws: `rpc/invalid-argument` for a key of an app with fewer than 16 or more than 255
    ///   bytes.
    package static func bound(
        _ key: String, of caller: WebCaller, request: [UInt8], method: SchemaMethod
    ) throws(ServiceError) -> String {
        guard let app = caller.app else { return key }
        guard (bytesMin...bytesMax).contains(key.utf8.count) else {
            var error = ServiceError(.invalidArgument, fields: [Metadata.Key.idempotencyKey])
            error.violations[0].sentence = "Use \(bytesMin) to \(bytesMax) random bytes as text."
            throw error
        }
        // A request that cannot be read is refused by the gateway.
        let device = try? method.input.textField(at: ["device", "device_id"])?.text(in: request)
        return Hex.encode(
            SHA256.hash(
                DelimitedParts.joined([
                    purpose, Array(app.name.utf8), Array((device ?? "").utf8),
                    Array(key.utf8),
                ])))
    }
}
