import COpenSSL

/// A P-256 key (`secp256r1`, FIPS 186-4): public, or private with its public part.
struct P256Key: Sendable {
    /// The size of a coordinate, a private scalar, or half a signature, in bytes.
    static let coordinateBytes = 32
    /// The size of an uncompressed public point in SEC 1 encoding, in bytes: 4, x, y.
    static let pointBytes = 1 + 2 * coordinateBytes

    let signatures: HashSignatures

    /// Takes ownership of one reference.
    init(taking pointer: OpaquePointer) {
        signatures = HashSignatures(taking: pointer)
    }

    /// A key from a public point and, for a private key, its scalar.
    /// - Throws: `CryptographyError.invalidKey` when the point is not on the curve or does not
    ///   belong to the scalar.
    init(point: [UInt8], scalar: SecretBytes?) throws {
        guard point.count == Self.pointBytes, point[0] == 4 else {
            throw CryptographyError.invalidKey("a P-256 point has \(Self.pointBytes) bytes")
        }
        self.init(taking: try Self.unchecked(point: point, scalar: scalar))
        guard try check(isPrivate: scalar != nil) else {
            ERR_clear_error()
            throw CryptographyError.invalidKey("not a point of P-256, or of another scalar")
        }
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

    /// Generates a key pair with OpenSSL's private random generator.
    /// - Throws: `CryptographyError`.
    static func generate() throws -> P256Key {
        guard let pointer = copenssl_generate_p256() else {
            throw CryptographyError.library("P-256: generate")
        }
        return P256Key(taking: pointer)
    }

    /// The public point, uncompressed.
    func point() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.pointBytes)
        var count = 0
        guard
            EVP_PKEY_get_octet_string_param(
                signatures.key, OSSL_PKEY_PARAM_PUB_KEY, &bytes, bytes.count, &count) == 1,
            count == Self.pointBytes, bytes[0] == 4
        else { throw CryptographyError.library("P-256: point") }
        return bytes
    }

    /// The private scalar, 32 bytes.
    func scalar() throws -> SecretBytes {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(signatures.key, OSSL_PKEY_PARAM_PRIV_KEY, &number) == 1 else {
            throw CryptographyError.library("P-256: number")
        }
        defer { BN_clear_free(number) }
        return try SecretBytes(count: Self.coordinateBytes) { buffer in
            let bytes = buffer.bindMemory(to: UInt8.self)
            guard BN_bn2binpad(number, bytes.baseAddress, Int32(bytes.count)) == bytes.count else {
                throw CryptographyError.library("P-256: number")
            }
        }
    }

    /// Whether the point is on the curve and, for a private key, belongs to its scalar. The quick
    /// check leaves out a multiplication by the order, which costs as much as a verification: the
    /// curve has prime order, so each of its points has that order (SEC 1, 3.2.2.1).
    private func check(isPrivate: Bool) throws -> Bool {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, signatures.key, nil) else {
            throw CryptographyError.library("P-256: check")
        }
        defer { EVP_PKEY_CTX_free(context) }
        return (isPrivate ? EVP_PKEY_check(context) : EVP_PKEY_public_check_quick(context)) == 1
    }
}

/// ECDSA over P-256 with SHA-256. A signature of a JSON Web Signature is 64 bytes, r and s of 32
/// each (RFC 7518, 3.4), while OpenSSL and WebAuthn use DER.
extension P256Key {
    /// The size of a signature, in bytes.
    static let signatureBytes = 2 * coordinateBytes
    /// The longest DER form of an ECDSA signature over P-256.
    private static let derBytesMax = 72

    func sign(_ message: UnsafeRawBufferPointer) throws -> [UInt8] {
        try Self.raw(der: signatures.sign(message, bytesMax: Self.derBytesMax))
    }

    /// Whether `signature` is a valid signature of `message` by this key.
    func verify(_ signature: [UInt8], of message: UnsafeRawBufferPointer) -> Bool {
        signature.count == Self.signatureBytes
            && signatures.verify(Self.der(raw: signature), of: message)
    }

    /// The same for a signature in DER, as in certificates and WebAuthn (RFC 3279, 2.2.3). OpenSSL
    /// encodes what it has read again and compares, so that one signature has one form.
    func verify(der signature: [UInt8], of message: UnsafeRawBufferPointer) -> Bool {
        signature.count <= Self.derBytesMax && signatures.verify(signature, of: message)
    }

    private static func raw(der: [UInt8]) throws -> [UInt8] {
        try der.withUnsafeBufferPointer { der in
            var position = der.baseAddress
            guard let signature = d2i_ECDSA_SIG(nil, &position, der.count) else {
                throw CryptographyError.library("ES256: DER")
            }
            defer { ECDSA_SIG_free(signature) }
            var bytes = [UInt8](repeating: 0, count: signatureBytes)
            let half = Int32(coordinateBytes)
            let isWritten = bytes.withUnsafeMutableBufferPointer { bytes in
                BN_bn2binpad(ECDSA_SIG_get0_r(signature), bytes.baseAddress, half) == half
                    && BN_bn2binpad(
                        ECDSA_SIG_get0_s(signature),
                        bytes.baseAddress.map { $0 + coordinateBytes }, half) == half
            }
            guard isWritten else { throw CryptographyError.library("ES256: DER") }
            return bytes
        }
    }

    /// `SEQUENCE { INTEGER r, INTEGER s }`. Any 64 bytes can be encoded in this form; OpenSSL then
    /// checks that r and s are in 1 … n−1.
    private static func der(raw: [UInt8]) -> [UInt8] {
        DER.tagged(
            0x30,
            DER.integer(raw.prefix(coordinateBytes))
                + DER.integer(raw.dropFirst(coordinateBytes)))
    }
}
