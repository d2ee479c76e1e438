/// A public RSA key as in JSON Web Keys: its modulus and its exponent (RFC 7518, 6.3.1).
extension RSAVerifyingKey {
    /// The shortest modulus that a token's key may have, in bits (RFC 7518, 3.3).
    package static let bitsMin = 2_048
    /// The longest modulus, in bits, so that a signature has at most `RSA.signatureBytesMax` bytes.
    /// A longer key would let its publisher make verification expensive.
    package static let bitsMax = 8 * RSA.signatureBytesMax
    /// The largest exponent, in bytes. A larger one would make verifying as slow as signing; the
    /// usual one is 65,537.
    private static let exponentBytesMax = 4

    /// The key with a modulus and an exponent, both big-endian.
    /// - Throws: `CryptographyError.invalidKey` where they are too short, too long, or no valid
    ///   key.
    package init(modulus: [UInt8], exponent: [UInt8]) throws {
        let modulus = Array(modulus.drop { $0 == 0 })
        let exponent = Array(exponent.drop { $0 == 0 })
        guard let top = modulus.first, let low = modulus.last, let last = exponent.last,
            (Self.bitsMin...Self.bitsMax).contains(modulus.count * 8 - top.leadingZeroBitCount),
            low & 1 == 1, last & 1 == 1, exponent != [1],
            exponent.count <= Self.exponentBytesMax
        else { throw CryptographyError.invalidKey("invalid RSA modulus or exponent") }
        try self.init(publicDER: Self.publicDER(modulus, exponent))
    }

    /// Encodes a SubjectPublicKeyInfo (RFC 8017, A.1.1; RFC 5280, 4.1).
    private static func publicDER(_ modulus: [UInt8], _ exponent: [UInt8]) -> [UInt8] {
        let numbers = tagged(0x30, integer(modulus) + integer(exponent))
        return tagged(0x30, rsaEncryption + tagged(0x03, [0] + numbers))
    }

    /// `SEQUENCE { rsaEncryption, NULL }`
    private static let rsaEncryption: [UInt8] = [
        0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]

    /// A DER INTEGER: a leading zero keeps the number from being negative.
    private static func integer(_ digits: [UInt8]) -> [UInt8] {
        tagged(0x02, digits.first.map { $0 >= 0x80 } ?? true ? [0] + digits : digits)
    }

    /// A DER value of at most 65,535 bytes with its tag and length. The longest modulus is far
    /// shorter.
    private static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        switch count {
        case ..<0x80: return [tag, UInt8(count)] + content
        case ..<0x100: return [tag, 0x81, UInt8(count)] + content
        default:
            return [tag, 0x82, UInt8(count >> 8), UInt8(truncatingIfNeeded: count)] + content
        }
    }
}
