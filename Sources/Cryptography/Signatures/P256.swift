import COpenSSL

/// P-256 keys (`secp256r1`, FIPS 186-4) in OpenSSL: conversions from and to numbers.
enum P256 {
    /// The size of a coordinate, a private scalar, or half a signature, in bytes.
    static let coordinateBytes = 32
    /// The size of an uncompressed public point in SEC 1 encoding, in bytes: 4, x, y.
    static let pointBytes = 1 + 2 * coordinateBytes

    /// A key from a public point and, for a private key, its scalar.
    /// - Throws: `CryptographyError.invalidKey` when the point is not on the curve or does not
    ///   belong to the scalar.
    static func key(point: [UInt8], scalar: SecretBytes?) throws -> P256Key {
        guard point.count == pointBytes, point[0] == 4 else {
            throw CryptographyError.invalidKey("a P-256 point has \(pointBytes) bytes")
        }
        let key = try P256Key(taking: unchecked(point: point, scalar: scalar))
        let isSound = try key.check(isPrivate: scalar != nil)
        guard isSound else {
            ERR_clear_error()
            throw CryptographyError.invalidKey("not a point of P-256, or of another scalar")
        }
        return key
    }

    /// The public point of a private scalar.
    /// - Throws: `CryptographyError.invalidKey` unless the scalar has 32 bytes and is in 1 … n−1.
    static func point(of scalar: SecretBytes) throws -> [UInt8] {
        guard scalar.count == coordinateBytes else {
            throw CryptographyError.invalidKey("a P-256 scalar has \(coordinateBytes) bytes")
        }
        guard let group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else {
            throw CryptographyError.library("P-256")
        }
        defer { EC_GROUP_free(group) }
        guard let number = number(scalar), let point = EC_POINT_new(group) else {
            throw CryptographyError.library("P-256")
        }
        defer {
            BN_clear_free(number)
            EC_POINT_free(point)
        }
        guard BN_is_zero(number) == 0, BN_cmp(number, EC_GROUP_get0_order(group)) < 0 else {
            throw CryptographyError.invalidKey("a P-256 scalar is in 1 … n−1")
        }
        var bytes = [UInt8](repeating: 0, count: pointBytes)
        guard EC_POINT_mul(group, point, number, nil, nil, nil) == 1,
            EC_POINT_point2oct(
                group, point, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, nil)
                == pointBytes
        else { throw CryptographyError.library("P-256") }
        return bytes
    }

    /// The scalar as OpenSSL's number, in memory that OpenSSL wipes.
    private static func number(_ scalar: SecretBytes) -> OpaquePointer? {
        guard let number = BN_secure_new() else { return nil }
        return scalar.withBytes { bytes in
            let source = bytes.bindMemory(to: UInt8.self).baseAddress
            guard BN_bin2bn(source, Int32(bytes.count), number) != nil else {
                BN_free(number)
                return nil
            }
            BN_set_flags(number, BN_FLG_CONSTTIME)
            return number
        }
    }

    private static func unchecked(point: [UInt8], scalar: SecretBytes?) throws -> OpaquePointer {
        let number = scalar.flatMap(number)
        defer { BN_clear_free(number) }
        guard (number == nil) == (scalar == nil) else { throw CryptographyError.library("P-256") }
        guard let key = copenssl_p256(point, point.count, number) else {
            ERR_clear_error()
            throw CryptographyError.invalidKey("not a point of P-256")
        }
        return key
    }
}
