import Testing

@testable import Cryptography

/// The classes of hostile signatures in Wycheproof's ECDSA P-256 vectors in IEEE P1363 form,
/// generated for our own keys: each number at the edges of its range as r and as s, alone and with
/// the other half of a good signature.
@Suite("ES256: numbers out of range, other lengths, other curves")
struct ES256RangeTests {
    /// The order n of P-256 (FIPS 186-4, D.1.2.3), big-endian.
    private static let order = bytes(
        "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
    /// The field's prime p.
    private static let prime = bytes(
        "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")

    /// The sum of two numbers of 32 bytes, with its carry.
    private static func sum(_ left: [UInt8], _ right: [UInt8]) -> (bytes: [UInt8], carry: Int) {
        var (result, carry) = (left, 0)
        for index in left.indices.reversed() {
            carry += Int(left[index]) + Int(right[index])
            result[index] = UInt8(carry & 255)
            carry >>= 8
        }
        return (result, carry)
    }

    private static func difference(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var (result, borrow) = (left, 0)
        for index in left.indices.reversed() {
            let digit = Int(left[index]) - Int(right[index]) - borrow
            borrow = digit < 0 ? 1 : 0
            result[index] = UInt8(digit & 255)
        }
        return result
    }

    private static func number(_ low: UInt8) -> [UInt8] { [UInt8](repeating: 0, count: 31) + [low] }

    @Test("values at the edges of the range are rejected as r, as s and as both")
    func edges() throws {
        let key = try SigningKey.generate()
        let good = try key.sign([1])
        let (r, s) = (Array(good[..<32]), Array(good[32...]))
        let one = Self.number(1)
        let edges = [
            Self.number(0), one, Self.number(2), Self.difference(Self.order, one), Self.order,
            Self.sum(Self.order, one).bytes, Self.difference(Self.prime, one), Self.prime,
            Self.sum(Self.prime, one).bytes, [UInt8](repeating: 0xFF, count: 32),
            [0x80] + [UInt8](repeating: 0, count: 31),
        ]
        for first in edges + [r] {
            for second in edges + [s] where first != r || second != s {
                #expect(!key.verifyingKey.verifies(first + second, of: [1]))
            }
        }
        #expect(key.verifyingKey.verifies(good, of: [1]))
    }

    @Test("n − s verifies, as ECDSA allows; n − r, p − r and n + s do not")
    func congruent() throws {
        let key = try SigningKey.generate()
        var shortOnes = 0
        for number in 0..<2_000 {
            let message = [UInt8(number & 255), UInt8(number >> 8)]
            let good = try key.sign(message)
            let (r, s) = (Array(good[..<32]), Array(good[32...]))
            let negated = Self.difference(Self.order, s)
            #expect(key.verifyingKey.verifies(r + negated, of: message))
            #expect(!key.verifyingKey.verifies(Self.difference(Self.order, r) + s, of: message))
            #expect(!key.verifyingKey.verifies(Self.difference(Self.prime, r) + s, of: message))
            let (more, carry) = Self.sum(s, Self.order)
            if carry == 0 {
                shortOnes += 1
                #expect(!key.verifyingKey.verifies(r + more, of: message))
            }
            if number > 20, shortOnes > 0 || number > 200 { break }
        }
    }

    @Test("signatures of any other length are rejected: cut, padded, halved or DER")
    func lengths() throws {
        let key = try SigningKey.generate()
        let good = try key.sign([1])
        let (r, s) = (Array(good[..<32]), Array(good[32...]))
        for count in 0..<64 {
            #expect(!key.verifyingKey.verifies(Array(good.prefix(count)), of: [1]))
            #expect(!key.verifyingKey.verifies(Array(good.suffix(count)), of: [1]))
        }
        let zero: [UInt8] = [0]
        let (first, second): ([UInt8], [UInt8]) = ([0x30, 0x44, 0x02, 0x20], [0x02, 0x20])
        let der: [UInt8] = first + r + second + s
        let others: [[UInt8]] = [
            good + zero, zero + good, zero + r + zero + s, r + zero + s, good + good, der,
        ]
        for signature in others { #expect(!key.verifyingKey.verifies(signature, of: [1])) }
    }

    @Test(
        "points at infinity, on other curves, on the twist or beyond the field are not keys")
    func points() throws {
        let zero = Self.number(0)
        let points = [
            (zero, zero), (Self.prime, Self.number(1)), (Self.number(1), Self.prime),
            // The base points of secp256k1 (SEC 2, 2.4.1) and brainpoolP256r1 (RFC 5639, 3.4).
            (
                bytes("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"),
                bytes("483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8")
            ),
            (
                bytes("8bd2aeb9cb7e57cb2c4b482ffc81b7afb9de27e1e3bd23c23a4453bd9ace3262"),
                bytes("547ef835c3dac4fd97f8461a14611dc9c27745132ded8e545c1d54c72f046997")
            ),
        ]
        for (x, y) in points {
            #expect(throws: CryptographyError.self) { try VerifyingKey(x: x, y: y) }
        }
        let key = try SigningKey.generate().verifyingKey
        for bit in 0..<16 {
            var y = key.y
            y[31 - bit / 8] ^= 1 << (bit % 8)
            #expect(throws: CryptographyError.self) { try VerifyingKey(x: key.x, y: y) }
        }
    }
}
