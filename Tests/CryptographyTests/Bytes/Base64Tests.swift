import Testing

@testable import Cryptography

@Suite("Base64, Base64url and hexadecimal")
struct Base64Tests {
    @Test("bytes of every length are encoded and decoded, and Base64 matches RFC 4648")
    func roundTrip() {
        #expect(Base64.encode("foobar".utf8) == "Zm9vYmFy")
        #expect(Base64.encode("fooba".utf8) == "Zm9vYmE=")
        #expect(Base64.encode("foob".utf8) == "Zm9vYg==")
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 251) }
            #expect(Base64.decode(Base64.encode(bytes).utf8) == bytes)
            #expect(Base64.decodeUnpadded(Base64.encodeUnpadded(bytes).utf8) == bytes)
            #expect(Base64URL.decode(Base64URL.encode(bytes).utf8) == bytes)
            #expect(Hex.decode(Hex.encode(bytes).utf8) == bytes)
        }
    }

    @Test(
        "non-canonical Base64 is rejected",
        arguments: [
            "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm9vYh==", "Zm9v\n", "Zm-v", "A", "====", "=Zm9",
            "Zm=v",
        ])
    func strictPadded(text: String) {
        #expect(Base64.decode(text.utf8) == nil)
    }

    @Test(
        "Base64url rejects padding, unused bits and other alphabets",
        arguments: ["Zg==", "Zh", "Zm9", "A", "ab+d", "ab/d", "Zm9v ", "Zm9v=", "é"])
    func strictURL(text: String) {
        #expect(Base64URL.decode(text.utf8) == nil)
    }

    @Test(
        "hexadecimal of odd length or with other characters is rejected",
        arguments: ["0", "0g", "0x", " 0"])
    func strictHex(text: String) {
        #expect(Hex.decode(text.utf8) == nil)
    }
}
