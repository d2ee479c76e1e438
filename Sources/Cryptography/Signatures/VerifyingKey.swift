/// A public ES256 key, which verifies signatures. Its name is its RFC 7638 thumbprint, or the `kid`
/// under which its owner publishes it.
package struct VerifyingKey: Sendable {
    /// The `kid` by which tokens name it.
    package let identifier: String
    let key: P256Key
    private let point: [UInt8]

    /// A key from its coordinates, 32 bytes each.
    /// - Throws: `CryptographyError.invalidKey` when they are not a point on the curve.
    package init(x: [UInt8], y: [UInt8], identifier: String? = nil) throws {
        guard x.count == P256.coordinateBytes, y.count == P256.coordinateBytes else {
            throw CryptographyError.invalidKey("a coordinate has \(P256.coordinateBytes) bytes")
        }
        let point = [4] + x + y
        self.init(
            key: try P256.key(point: point, scalar: nil), point: point, identifier: identifier)
    }

    init(key: P256Key, point: [UInt8], identifier: String? = nil) {
        self.key = key
        self.point = point
        self.identifier = identifier ?? Self.thumbprint(of: point)
    }

    /// The x coordinate, 32 bytes.
    package var x: [UInt8] { Array(point[1...P256.coordinateBytes]) }

    /// The y coordinate, 32 bytes.
    package var y: [UInt8] { Array(point[(1 + P256.coordinateBytes)...]) }

    /// Whether `signature` (64 bytes) is a valid signature of `message` by this key.
    package func verifies(_ signature: [UInt8], of message: some Collection<UInt8>) -> Bool {
        withContiguousBytes(of: message) { ES256.verify(signature, of: $0, with: key) }
    }

    /// The RFC 7638 thumbprint: the hash of the key's required members, sorted, without spaces.
    private static func thumbprint(of point: [UInt8]) -> String {
        let x = Base64URL.encode(point[1...P256.coordinateBytes])
        let y = Base64URL.encode(point[(1 + P256.coordinateBytes)...])
        let members = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
        return Base64URL.encode(SHA256.hash(members.utf8))
    }
}
