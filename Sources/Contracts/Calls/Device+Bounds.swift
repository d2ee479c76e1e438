package import Messages
package import ServiceRuntime

extension GatewayV1.Device {
    /// The longest id, in bytes.
    package static let idBytesMax = 128
    /// The longest platform that the session service accepts, in bytes.
    package static let platformBytesMax = 32
    /// The longest display name, in bytes.
    package static let nameBytesMax = 256

    /// Requires texts that are not too long.
    /// - Throws: `rpc/invalid-argument` with the field.
    package func requireBounds() throws(ServiceError) {
        for (field, text, bytesMax) in [
            ("device.device_id", deviceId, Self.idBytesMax),
            ("device.platform", platform, Self.platformBytesMax),
            ("device.name", name, Self.nameBytesMax),
        ] where text.utf8.count > bytesMax {
            throw ServiceError.invalidArgument(field, "Use at most \(bytesMax) bytes.")
        }
    }
}
