import Testing

@testable import Cryptography

@Suite("Base32")
struct Base32Tests {
    @Test(
        "the vectors of RFC 4648, section 10, without padding",
        arguments: [
            ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"),
            ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI"),
        ])
    func vectors(bytes: String, text: String) {
        #expect(Base32.encode(bytes.utf8) == text)
        #expect(Base32.decodeLeniently(text) == Array(bytes.utf8))
        let padding = String(repeating: "=", count: (8 - text.count % 8) % 8)
        #expect(Base32.decodeLeniently(text + padding) == Array(bytes.utf8))
    }

    @Test("bytes of every length are encoded and decoded")
    func roundTrip() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 251) }
            let text = Base32.encode(bytes)
            #expect(text.utf8.count == (count * 8 + 4) / 5)
            #expect(Base32.decodeLeniently(text) == bytes)
        }
    }

    @Test(
        "what people and other systems write is read: small letters, groups, bits that are left",
        arguments: [
            ("mzxw6ytboi", "foobar"), ("MZXW 6YTB OI", "foobar"), ("mzxw-6ytb-oi==", "foobar"),
            ("MZXW6YTBOJ", "foobar"), ("MZXW6YTBO", "fooba"),
        ])
    func lenient(text: String, bytes: String) {
        #expect(Base32.decodeLeniently(text) == Array(bytes.utf8))
    }

    @Test(
        "any other character is refused",
        arguments: ["MZXW0", "MZXW1", "MZXW8", "MZ=XW", "MZXW6!", "é", "MZXW６", "\u{0}"])
    func malformed(text: String) {
        #expect(Base32.decodeLeniently(text) == nil)
    }
}
