import Testing

@testable import Cryptography

@Suite("ES256")
struct ES256Tests {
    /// RFC 7515, appendix A.3.
    private static let scalar = "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"
    private static let x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
    private static let y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
    private static let message =
        "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
        + "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    private static let signature =
        "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
    /// The order of the curve, FIPS 186-4 D.1.2.3.
    private static let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"

    private func decoded(_ text: String) throws -> [UInt8] {
        try #require(Base64URL.decode(text.utf8))
    }

    private func rfcKey() throws -> SigningKey {
        try SigningKey(scalar: SecretBytes(copying: decoded(Self.scalar)))
    }

    @Test("RFC 7515 A.3: the signature verifies, and the private number gives the public point")
    func rfc7515() throws {
        let key = try rfcKey()
        #expect(key.verifyingKey.x == (try decoded(Self.x)))
        #expect(key.verifyingKey.y == (try decoded(Self.y)))
        let signature = try decoded(Self.signature)
        #expect(key.verifyingKey.verifies(signature, of: Self.message.utf8))
        #expect(!key.verifyingKey.verifies(signature, of: Self.message.utf8.dropLast()))
        let alone = try VerifyingKey(x: decoded(Self.x), y: decoded(Self.y))
        let made = try key.sign(Self.message.utf8)
        #expect(alone.verifies(made, of: Self.message.utf8))
    }

    @Test("RFC 7638: a key's identifier is its thumbprint, as in the vector of RFC 9449")
    func thumbprint() throws {
        let key = try VerifyingKey(
            x: decoded("l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs"),
            y: decoded("9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA"))
        #expect(key.identifier == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
    }

    @Test("a generated key is restored from its number and signs for its public key")
    func generated() throws {
        for _ in 0..<20 {
            let key = try SigningKey.generate()
            let again = try SigningKey(scalar: key.scalar())
            #expect(again.identifier == key.identifier)
            let signature = try again.sign([1, 2, 3])
            #expect(signature.count == 64)
            #expect(key.verifyingKey.verifies(signature, of: [1, 2, 3]))
        }
    }

    @Test("a signature has 64 bytes even if r or s is short")
    func shortNumbers() throws {
        let key = try rfcKey()
        var shortOnes = 0
        // One signature in 128 has an r or s below 2²⁴⁸, so 10,000 without one are practically
        // impossible.
        for number in 0..<10_000 where shortOnes < 3 {
            let message = [UInt8(number & 255), UInt8(number >> 8)]
            let signature = try key.sign(message)
            #expect(signature.count == 64)
            #expect(key.verifyingKey.verifies(signature, of: message))
            if signature[0] == 0 || signature[32] == 0 { shortOnes += 1 }
        }
        #expect(shortOnes == 3)
    }

    @Test("signatures of wrong length, or with r or s of 0, n or more, are rejected")
    func hostileSignatures() throws {
        let key = try rfcKey()
        let good = try key.sign([1])
        let (r, s) = (Array(good[..<32]), Array(good[32...]))
        let zero = [UInt8](repeating: 0, count: 32)
        let most = [UInt8](repeating: 0xFF, count: 32)
        let order = bytes(Self.order)
        let hostile = [
            [], Array(good.dropLast()), good + [0], zero + zero, zero + s, r + zero, order + s,
            r + order, order + order, most + most, most + s, r + most, s + r, zero + [1],
        ]
        for signature in hostile {
            #expect(!key.verifyingKey.verifies(signature, of: [1]), "\(signature)")
        }
        for bit in 0..<512 {
            var changed = good
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!key.verifyingKey.verifies(changed, of: [1]))
        }
    }

    @Test(
        "RFC 7518 3.4: both forms of a signature verify, s and n - s, since keys in hardware make both"
    )
    func bothForms() throws {
        let key = try rfcKey()
        let good = try key.sign([1])
        var (twin, borrow) = (good, 0)
        let order = bytes(Self.order)
        for index in (0..<32).reversed() {
            let difference = Int(order[index]) - Int(good[32 + index]) - borrow
            twin[32 + index] = UInt8(difference & 0xFF)
            borrow = difference < 0 ? 1 : 0
        }
        #expect(twin != good && key.verifyingKey.verifies(twin, of: [1]))
    }

    @Test("0, n, larger numbers and wrong lengths are rejected as private keys")
    func hostileNumbers() {
        let numbers = [
            String(repeating: "00", count: 32), Self.order, String(repeating: "ff", count: 32),
            "01",
            String(repeating: "01", count: 33), "",
        ]
        for number in numbers {
            #expect(throws: CryptographyError.self) { try SigningKey(scalar: secret(number)) }
        }
    }

    @Test("points off the curve, zero and coordinates beyond the field are rejected as public keys")
    func hostilePoints() throws {
        let (x, y) = try (decoded(Self.x), decoded(Self.y))
        let zero = [UInt8](repeating: 0, count: 32)
        let most = [UInt8](repeating: 0xFF, count: 32)
        var beside = y
        beside[31] ^= 1
        let points = [
            (x, beside), (zero, zero), (x, zero), (zero, y), (most, y), (x, most), (y, x),
            (Array(x.dropLast()), y), (x, y + [0]), ([], []),
        ]
        for (x, y) in points {
            #expect(throws: CryptographyError.self) { try VerifyingKey(x: x, y: y) }
        }
    }
}
