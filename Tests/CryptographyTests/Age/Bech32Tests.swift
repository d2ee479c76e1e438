import Testing

@testable import Cryptography

@Suite("Bech32")
struct Bech32Tests {
    @Test(
        "the valid texts of BIP 173 are decoded, and encoded again as they were",
        arguments: [
            ("A12UEL5L", "A", ""), ("a12uel5l", "a", ""), ("?1ezyfcl", "?", ""),
            (
                "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw", "abcdef",
                "00443214c74254b635cf84653a56d7c675be77df"
            ),
            (
                "11\(String(repeating: "q", count: 82))c8247j", "1",
                String(repeating: "00", count: 51)
            ),
            (
                "split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w", "split",
                "c5f38b70305f519bf66d85fb6cf03058f3dde463ecd7918f2dc743918f2d"
            ),
            (
                "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio"
                    + "1tt5tgs",
                "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio",
                ""
            ),
        ])
    func valid(text: String, prefix: String, data: String) throws {
        let decoded = try Bech32.decode(text.utf8)
        #expect(decoded.prefix == prefix)
        #expect(decoded.bytes == bytes(data))
        #expect(Bech32.encode(prefix: prefix, bytes(data)) == Array(text.utf8))
    }

    @Test("the invalid texts of BIP 173 and others are refused, and the reason is given")
    func invalid() {
        let texts: [(String, Bech32.Flaw)] = [
            ("pzry9x0s0muk", .noSeparator), ("1pzry9x0s0muk", .noSeparator),
            ("10a06t8", .noSeparator), ("1qzzfhee", .noSeparator), ("", .noSeparator),
            ("x1b4n0q5v", .character), ("de1lg7wt\u{FF}", .character),
            ("li1dgmt3", .tooShort), ("age1", .tooShort),
            // The checksum of the prefix in upper case.
            ("A1G7SGD8", .checksum), ("a12uel5m", .checksum), ("A12uel5l", .mixedCase),
        ]
        for (text, flaw) in texts {
            #expect(throws: flaw, "\(text)") { try Bech32.decode(text.utf8) }
        }
    }

    @Test("unused bits at the end are zeros, and no group is unused")
    func padding() throws {
        for text in Self.padded {
            #expect(throws: Bech32.Flaw.padding, "\(text)") { try Bech32.decode(text.utf8) }
        }
    }

    /// Texts with the right checksum: a byte with a padding bit that is set, and with a group of
    /// zeros too many. The reference implementation of BIP 173 in Python made them.
    private static let padded = ["age1lae6aamz", "age1luqrr2q7m", "age1qdd35qf"]

    @Test("bytes of each length are decoded as they were encoded")
    func lengths() throws {
        for count in 0...64 {
            let content = AgeFile.content(count)
            let decoded = try Bech32.decode(Bech32.encode(prefix: "age", content))
            #expect(decoded.bytes == content)
        }
    }
}
