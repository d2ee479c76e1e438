/// A public RSA key as JSON Web Keys hold it: its modulus and its exponent (RFC 7518, 6.3.1).
extension RSAVerifyingKey {
    /// The shortest modulus that a token's key may have, in bits (RFC 7518, 3.3).
    package static let bitsMin = 2_048
    /// The longest: a signature has at most `RSA.signatureBytesMax` bytes, and whoever publishes a
    /// longer one makes us work.
    package static let bitsMax = 8 * RSA.signatureBytesMax
    /// Exponents beyond four bytes would make a verification as slow as a signature; everybody's is
    /// 65,537.
    private static let exponentBytesMax = 4

    /// The key of a modulus and an exponent, both big-endian.
    /// - Throws: `CryptographyError.invalidKey` where they are too short, too long, or no key.
    package init(modulus: [UInt8], exponent: [UInt8]) throws {
        let modulus = Array(modulus.drop { $0 == 0 })
        let exponent = Array(exponent.drop { $0 == 0 })
        guard let top = modulus.first, let low = modulus.last, let last = exponent.last,
            (Self.bitsMin...Self.bitsMax).contains(modulus.count * 8 - top.leadingZeroBitCount),
            low & 1 == 1, last & 1 == 1, exponent != [1],
            exponent.count <= Self.exponentBytesMax
        else { throw CryptographyError.invalidKey("an RSA modulus and exponent that are taken") }
        try self.init(publicDER: Self.publicDER(modulus, exponent))
    }

    /// As a SubjectPublicKeyInfo (RFC 8017, A.1.1; RFC 5280, 4.1).
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

    /// At most 65,535 bytes behind their tag and length, which the longest modulus is far from.
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
