import COpenSSL

/// ECDSA over P-256 with SHA-256 for JSON Web Signatures (RFC 7518, 3.4). A signature is 64 bytes,
/// r and s of 32 each, while OpenSSL uses DER.
enum ES256 {
    static let signatureBytes = 2 * P256.coordinateBytes
    /// The longest DER form of an ECDSA signature over P-256.
    private static let derBytesMax = 72

    static func sign(_ message: UnsafeRawBufferPointer, with key: P256Key) throws -> [UInt8] {
        try raw(der: key.signatures.sign(message, bytesMax: derBytesMax))
    }

    /// Whether `signature` is a valid signature of `message` by `key`.
    static func verify(
        _ signature: [UInt8], of message: UnsafeRawBufferPointer, with key: P256Key
    ) -> Bool {
        signature.count == signatureBytes
            && key.signatures.verify(der(raw: signature), of: message)
    }

    private static func raw(der: [UInt8]) throws -> [UInt8] {
        try der.withUnsafeBufferPointer { der in
            var position = der.baseAddress
            guard let signature = d2i_ECDSA_SIG(nil, &position, der.count) else {
                throw CryptographyError.library("ES256: DER")
            }
            defer { ECDSA_SIG_free(signature) }
            var bytes = [UInt8](repeating: 0, count: signatureBytes)
            let half = Int32(P256.coordinateBytes)
            let isWritten = bytes.withUnsafeMutableBufferPointer { bytes in
                BN_bn2binpad(ECDSA_SIG_get0_r(signature), bytes.baseAddress, half) == half
                    && BN_bn2binpad(
                        ECDSA_SIG_get0_s(signature),
                        bytes.baseAddress.map { $0 + P256.coordinateBytes }, half) == half
            }
            guard isWritten else { throw CryptographyError.library("ES256: DER") }
            return bytes
        }
    }

    /// `SEQUENCE { INTEGER r, INTEGER s }`. Any 64 bytes can be encoded in this form; OpenSSL then
    /// checks that r and s are in 1 … n−1.
    private static func der(raw: [UInt8]) -> [UInt8] {
        let numbers =
            integer(raw[..<P256.coordinateBytes]) + integer(raw[P256.coordinateBytes...])
        return [0x30, UInt8(numbers.count)] + numbers
    }

    /// A DER INTEGER: no leading zeros, except one that keeps the number from being negative.
    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }
}
