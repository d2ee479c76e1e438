import TestSupport
import Testing

@testable import Cryptography

@Suite("CBOR of authenticators")
struct CBORReaderTests {
    private func value(_ hex: String) throws -> CBORValue { try CBORReader.value(in: bytes(hex)) }

    @Test(
        "the examples of RFC 8949, appendix A, of the kinds that are accepted",
        arguments: [
            ("00", .integer(0)), ("17", .integer(23)), ("1818", .integer(24)),
            ("1864", .integer(100)), ("1903e8", .integer(1_000)),
            ("1a000f4240", .integer(1_000_000)),
            ("1b000000e8d4a51000", .integer(1_000_000_000_000)), ("20", .integer(-1)),
            ("29", .integer(-10)), ("3863", .integer(-100)), ("3903e7", .integer(-1_000)),
            ("f4", .boolean(false)), ("f5", .boolean(true)), ("f6", .null), ("40", .bytes([])),
            ("4401020304", .bytes([1, 2, 3, 4])), ("60", .text("")), ("6161", .text("a")),
            ("6449455446", .text("IETF")), ("62225c", .text("\"\\")), ("62c3bc", .text("ü")),
            ("64f0908591", .text("\u{10151}")), ("80", .array([])),
            ("83010203", .array([.integer(1), .integer(2), .integer(3)])),
            (
                "8301820203820405",
                .array([
                    .integer(1), .array([.integer(2), .integer(3)]),
                    .array([.integer(4), .integer(5)]),
                ])
            ),
        ] as [(String, CBORValue)])
    func examples(hex: String, expected: CBORValue) throws {
        #expect(try value(hex) == expected)
    }

    @Test("numbers have 64 bits with sign")
    func numbers() throws {
        #expect(try value("1b7fffffffffffffff") == .integer(.max))
        #expect(try value("3b7fffffffffffffff") == .integer(.min))
        #expect(throws: CBORError.number) { try value("1b8000000000000000") }
        #expect(throws: CBORError.number) { try value("3b8000000000000000") }
    }

    @Test("maps have numbers and texts as keys, in any order")
    func maps() throws {
        let sorted = try #require(
            try value("a401020326200121581d" + String(repeating: "00", count: 29)).map)
        #expect(sorted[1] == .integer(2) && sorted[3] == .integer(-7) && sorted[-1] == .integer(1))
        #expect(sorted[-2]?.bytes?.count == 29 && sorted[2] == nil && sorted["fmt"] == nil)
        let unsorted = try #require(try value("a32001036161016162").map)
        #expect(unsorted[1]?.text == "b" && unsorted[3]?.text == "a")
        let texts = try #require(try value("a2616101616202").map)
        #expect(texts["a"]?.integer == 1 && texts["b"]?.integer == 2 && texts[1] == nil)
        #expect(try value("a0").map?.members.isEmpty == true)
    }

    @Test(
        "what no authenticator should send is refused with its reason",
        arguments: [
            ("", .truncated), ("18", .truncated), ("1903", .truncated), ("1a000f42", .truncated),
            ("1b000000e8d4a510", .truncated), ("41", .truncated), ("6161ff", .rest),
            ("0000", .rest), ("f600", .rest), ("8201", .truncated), ("a101", .truncated),
            ("a1", .truncated), ("5bffffffffffffffff", .truncated),
            ("9b0fffffffffffffff", .truncated), ("bb7fffffffffffffff", .truncated),
            ("5a7fffffff00", .truncated),
            // Lengths that are not said at the beginning, and their end.
            ("5f42010243030405ff", .indefinite), ("7f657374726561646d696e67ff", .indefinite),
            ("9fff", .indefinite), ("bfff", .indefinite), ("9f018202039f0405ffff", .indefinite),
            ("ff", .kind), ("1f", .indefinite), ("3f", .indefinite),
            // In more bytes than are needed.
            ("1800", .longForm), ("1817", .longForm), ("190000", .longForm), ("1900ff", .longForm),
            ("1a0000ffff", .longForm), ("1b00000000ffffffff", .longForm), ("3817", .longForm),
            ("580100", .longForm), ("780161", .longForm), ("980100", .longForm),
            ("b8010101", .longForm), ("5900020000", .longForm),
            // Reserved, tags, floating-point numbers, undefined, other simple values.
            ("1c", .kind), ("5d", .kind), ("7e", .kind), ("fc", .kind),
            ("c074323031332d30332d32315432303a30343a30305a", .kind),
            ("c249010000000000000000", .kind),
            ("d74401020304", .kind), ("d818456449455446", .kind), ("f93c00", .kind),
            ("fa47c35000", .kind), ("fb3ff199999999999a", .kind), ("f7", .kind), ("f0", .kind),
            ("f818", .kind), ("f8ff", .kind), ("e0", .kind),
            // Keys.
            ("a2010201 03", .repeatedKey), ("a2616101616102", .repeatedKey),
            ("a3010203040105", .repeatedKey), ("a14101 01", .key), ("a1f501", .key),
            ("a18001", .key), ("a1a001", .key), ("a1f601", .key),
            // Not UTF-8: a lone byte, half of a surrogate pair, an overlong form.
            ("61ff", .text), ("63eda080", .text), ("62c080", .text), ("64f4908080", .text),
        ] as [(String, CBORError)])
    func refused(hex: String, reason: CBORError) {
        #expect(throws: reason) { try value(hex) }
    }

    @Test("four levels are accepted, five are not, and a thousand cost no stack")
    func depth() throws {
        #expect(try value("81818180") != .null)
        #expect(try value("8181818100") != .null)
        #expect(throws: CBORError.depth) { try value("8181818180") }
        #expect(try value("a101a101a101a10100") != .null)
        #expect(throws: CBORError.depth) { try value("a101a101a101a101a0") }
        #expect(throws: CBORError.depth) {
            try CBORReader.value(in: [UInt8](repeating: 0x81, count: 1_000))
        }
    }

    @Test("16 KiB are accepted, a byte more is not; 64 members are, 65 are not")
    func limits() throws {
        let most = CBORReader.bytesMax
        let bytes = TestCBOR.bytes([UInt8](repeating: 7, count: most - 3))
        #expect(bytes.count == most)
        #expect(try CBORReader.value(in: bytes) != .null)
        #expect(throws: CBORError.tooLong) {
            try CBORReader.value(in: TestCBOR.bytes([UInt8](repeating: 7, count: most - 2)))
        }
        let values = TestCBOR.array([[UInt8]](repeating: [0], count: most - 3))
        #expect(try CBORReader.value(in: values) != .null)
        let members = (0..<65).map { (TestCBOR.integer($0), TestCBOR.integer(0)) }
        #expect(try CBORReader.value(in: TestCBOR.map(Array(members.prefix(64)))) != .null)
        #expect(throws: CBORError.members) { try CBORReader.value(in: TestCBOR.map(members)) }
    }

    @Test("a reader goes on after a value, and each truncation of a map is refused")
    func positions() throws {
        let map = bytes("a301020326206161")
        let all = [9, 9] + map + [0xF4]
        var reader = try CBORReader(all, at: 2)
        #expect(try reader.value().map != nil)
        #expect(reader.position == 2 + map.count)
        #expect(try reader.value() == .boolean(false))
        #expect(throws: CBORError.truncated) { try reader.value() }
        for count in map.indices {
            #expect(throws: CBORError.truncated) { try CBORReader.value(in: Array(map[..<count])) }
        }
    }

    @Test("whatever is accepted is all of its bytes in their shortest form")
    func mutations() throws {
        let seeds = try [
            "a301020326206161", "83018202038204f5", "a263666d74646e6f6e656761747453746d74a0",
            "1a000f4240", "a1616182f43903e7",
        ].map { try #require(Hex.decode($0.utf8)) }
        var randomness = SeededRandomness(seed: 3)
        for round in 0..<20_000 {
            var input = seeds[round % seeds.count]
            for _ in 0...Int.random(in: 0...2, using: &randomness) {
                input[Int.random(in: input.indices, using: &randomness)] =
                    UInt8.random(in: .min ... .max, using: &randomness)
            }
            // A refusal is a valid result here.
            guard let value = try? CBORReader.value(in: input) else { continue }
            #expect(TestCBOR.value(value) == input, "\(Hex.encode(input))")
        }
    }
}
