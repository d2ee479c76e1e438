import JSON
import Testing

@testable import Cryptography

@Suite("Key sets that others publish")
struct PublishedKeySetTests {
    /// The key and the token of RFC 7515, A.2: RS256.
    private static let rfcModulus =
        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEz"
        + "P1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf"
        + "63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5"
        + "ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4"
        + "FRWyuXpoQ"
    private static let rfcSignature =
        "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt"
        + "_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArL"
        + "IARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7no"
        + "OPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUP"
        + "QGe77Rw"
    private static let rfcMessage =
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
        + "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    private func rsa(
        _ more: String = #","kid":"k""#, modulus: String = rfcModulus, exponent: String = "AQAB"
    ) -> String {
        #"{"kty":"RSA","n":"\#(modulus)","e":"\#(exponent)"\#(more)}"#
    }

    private func set(_ keys: String...) throws -> PublishedKeySet {
        try PublishedKeySet(json: #"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8)
    }

    @Test("the RS256 example of RFC 7515 verifies, and changed ones do not")
    func rfc7515() throws {
        let key = try #require(try set(rsa())["k"])
        let signature = try #require(Base64URL.decode(Self.rfcSignature.utf8))
        #expect(key.algorithm == .rs256)
        #expect(key.verifies(signature, of: Self.rfcMessage.utf8))
        #expect(!key.verifies(signature, of: (Self.rfcMessage + "A").utf8))
        #expect(!key.verifies(Array(signature.dropLast()), of: Self.rfcMessage.utf8))
        #expect(!key.verifies([0] + signature, of: Self.rfcMessage.utf8))
        #expect(!key.verifies([], of: Self.rfcMessage.utf8))
        for place in [0, 100, 255] {
            var changed = signature
            changed[place] ^= 1
            #expect(!key.verifies(changed, of: Self.rfcMessage.utf8))
        }
    }

    @Test("keys that are not for signing with RS256 or ES256 are skipped")
    func others() throws {
        let set = try set(
            rsa(""), rsa(#","kid":"""#), rsa(#","kid":7"#), rsa(#","kid":"a","use":"enc""#),
            rsa(#","kid":"b","alg":"RSA-OAEP""#), rsa(#","kid":"c","alg":"RS512""#),
            rsa(#","kid":"d","key_ops":["encrypt"]"#), rsa(#","kid":"e","key_ops":"verify""#),
            #"{"kty":"EC","crv":"P-384","x":"AA","y":"AA","kid":"f"}"#,
            #"{"kty":"OKP","crv":"Ed25519","x":"AA","kid":"g"}"#,
            rsa(#","kid":"good1","use":"sig","alg":"RS256","x5c":["MAA="]"#),
            rsa(#","kid":"good2","key_ops":["verify"]"#))
        #expect(set.identifiers == ["good1", "good2"])
    }

    @Test(
        "SECURITY.md, Tokens: RSA keys below 2,048 bits or above 8,192 are skipped")
    func weak() throws {
        func modulus(_ bits: Int, last: UInt8 = 0xFF) -> String {
            var bytes = [UInt8](repeating: 0xFF, count: (bits + 7) / 8)
            if bits % 8 != 0 { bytes[0] = 0xFF >> (8 - bits % 8) }
            bytes[bytes.count - 1] = last
            return Base64URL.encode(bytes)
        }
        #expect(try set(rsa(modulus: modulus(2_048))).identifiers == ["k"])
        #expect(try set(rsa(modulus: modulus(8_192))).identifiers == ["k"])
        for bad in [
            modulus(512), modulus(1_024), modulus(2_047), modulus(8_193), modulus(65_536),
            modulus(2_048, last: 0xFE), "", "AA", "====",
        ] { #expect(try set(rsa(modulus: bad)).isEmpty, "\(bad.prefix(20))") }
        for bad in ["", "AA", "AQ", "Ag", "AQAA", "AQAAAAE", "===="] {
            #expect(try set(rsa(exponent: bad)).isEmpty, "exponent \(bad)")
        }
        #expect(try set(rsa(exponent: "Aw")).identifiers == ["k"])
    }

    @Test("leading zeros do not make a short modulus acceptable")
    func padded() throws {
        let short = [UInt8](repeating: 0, count: 128) + [UInt8](repeating: 0xFF, count: 128)
        #expect(try set(rsa(modulus: Base64URL.encode(short))).isEmpty)
    }

    @Test("a set with a secret, duplicate key names or a wrong form is rejected")
    func refused() throws {
        #expect(throws: JSONWebKeySetError.holdsSecret) { try set(rsa(#","kid":"k","d":"AA""#)) }
        #expect(throws: JSONWebKeySetError.holdsSecret) { try set(#"{"kty":"oct","k":"AA"}"#) }
        #expect(throws: JSONWebKeySetError.repeatedIdentifier("k")) { try set(rsa(), rsa()) }
        #expect(throws: JSONWebKeySetError.malformed) { try set("7") }
        for text in ["", "[]", "{}", #"{"keys":1}"#, #"{"keys":[]} x"#] {
            #expect(throws: JSONWebKeySetError.malformed) {
                try PublishedKeySet(json: text.utf8)
            }
        }
        let many = (0..<65).map { rsa(#","kid":"k\#($0)""#, modulus: "AA") }
        #expect(throws: JSONWebKeySetError.malformed) {
            try PublishedKeySet(json: #"{"keys":[\#(many.joined(separator: ","))]}"#.utf8)
        }
    }

    @Test("each kind of key verifies only its own algorithm's tokens")
    func tokens() throws {
        let p256 = try SigningKey.generate()
        let ec = PublishedKey.es256(p256.verifyingKey)
        let header = Base64URL.encode(#"{"alg":"ES256","kid":"k"}"#.utf8)
        let message = header + "." + Base64URL.encode(#"{"sub":"1"}"#.utf8)
        let token = message + "." + Base64URL.encode(try p256.sign(message.utf8))
        let both = Set(SignatureAlgorithm.allCases)
        let foreign = try ForeignToken(token, bytesMax: 1_024, algorithms: both)
        #expect(foreign.keyIdentifier == "k")
        #expect(try foreign.claims(signedBy: ec)["sub"] == .string("1"))
        let rsaKey = try #require(try set(rsa())["k"])
        #expect(throws: TokenRefusal.algorithm) { try foreign.claims(signedBy: rsaKey) }
        #expect(throws: TokenRefusal.algorithm) {
            try ForeignToken(token, bytesMax: 1_024, algorithms: [.rs256])
        }
        #expect(throws: TokenRefusal.tooLong) {
            try ForeignToken(token, bytesMax: token.utf8.count - 1, algorithms: both)
        }
    }
}
