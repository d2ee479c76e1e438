import ServiceRuntime
import Testing

@testable import Cryptography

@Suite("Sealed boxes")
struct SealedBoxTests {
    private let place = SealedPlace(table: "accounts", column: "email", row: 42)
    private let first = SecretBytes(copying: [UInt8](repeating: 1, count: 32))
    private let second = SecretBytes(copying: [UInt8](repeating: 2, count: 32))

    private func box(_ keys: [UInt8: SecretBytes], current: UInt8) throws -> SealedBox {
        try SealedBox(keys: keys, current: current, randomness: SecureRandomness())
    }

    /// Key, nonce, associated data, text, sealed: test cases 13, 14 and 16 of the GCM
    /// specification, which NIST adopted in SP 800-38D.
    private static let vectors: [(String, String, String, String, String)] = [
        (
            String(repeating: "00", count: 32), String(repeating: "00", count: 12), "", "",
            "530f8afbc74536b9a963b4f1c4cb738b"
        ),
        (
            String(repeating: "00", count: 32), String(repeating: "00", count: 12), "",
            String(repeating: "00", count: 16),
            "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
        ),
        (
            "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
            "cafebabefacedbaddecaf888", "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            """
            d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
            1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
            """,
            """
            522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
            8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662
            76fc6ece0f4e1768cddf8853bb2d551b
            """
        ),
    ]

    @Test("AES-256-GCM matches the vectors of its specification", arguments: vectors)
    func vector(key: String, nonce: String, data: String, text: String, sealed: String) throws {
        let made = try bytes(text).withUnsafeBytes {
            try AESGCM.seal(
                $0, key: secret(key), nonce: bytes(nonce), associatedData: bytes(data))
        }
        #expect(made == bytes(sealed))
        let opened = try AESGCM.open(
            made, key: secret(key), nonce: bytes(nonce), associatedData: bytes(data))
        #expect(opened == secret(text))
    }

    @Test("a sealed value of any length opens at its place, and sealing twice gives other bytes")
    func roundTrip() throws {
        let box = try box([1: first], current: 1)
        for count in [0, 1, 15, 16, 17, 1_000] {
            let text = [UInt8](repeating: 9, count: count)
            let sealed = try box.seal(text, at: place)
            #expect(sealed.count == count + SealedBox.overheadBytes)
            #expect(try box.open(sealed, at: place) == text)
            #expect(try box.seal(text, at: place) != sealed)
        }
        let secret = SecretBytes(copying: [1, 2, 3])
        #expect(try box.openSecret(box.seal(secret, at: place), at: place) == secret)
    }

    @Test("every truncation and every changed byte is rejected")
    func changes() throws {
        let box = try box([1: first], current: 1)
        let sealed = try box.seal([1, 2, 3, 4], at: place)
        for count in 0..<sealed.count {
            #expect(throws: SealedBoxError.self) { try box.open(sealed.prefix(count), at: place) }
        }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 0x10
            #expect(throws: SealedBoxError.self) { try box.open(changed, at: place) }
        }
        #expect(throws: SealedBoxError.notAuthentic) { try box.open(sealed + [0], at: place) }
    }

    @Test("a value moved to another row, column, table or purpose does not open")
    func moved() throws {
        let box = try box([1: first], current: 1)
        let sealed = try box.seal([1], at: place)
        let others = [
            SealedPlace(table: "accounts", column: "email", row: 43),
            SealedPlace(table: "accounts", column: "phone", row: 42),
            SealedPlace(table: "account", column: "semail", row: 42),
            SealedPlace(purpose: "accounts"),
        ]
        for other in others {
            #expect(throws: SealedBoxError.notAuthentic) { try box.open(sealed, at: other) }
        }
    }

    @Test("keys rotate: old values open, new values use the new key, a removed key is named")
    func rotation() throws {
        let before = try box([1: first], current: 1)
        let during = try box([1: first, 2: second], current: 2)
        let after = try box([2: second], current: 2)
        let old = try before.seal([5], at: place)
        let new = try during.seal([6], at: place)
        #expect(try during.open(old, at: place) == [5])
        #expect(try after.open(new, at: place) == [6])
        #expect(throws: SealedBoxError.unknownKey(1)) { try after.open(old, at: place) }
        let impostor = try box([1: second], current: 1)
        #expect(throws: SealedBoxError.notAuthentic) { try impostor.open(old, at: place) }
    }

    @Test("a value of a later version and wrong keys at the start are rejected")
    func doors() throws {
        let box = try box([1: first], current: 1)
        var sealed = try box.seal([1], at: place)
        sealed[0] = 2
        #expect(throws: SealedBoxError.malformed) { try box.open(sealed, at: place) }
        #expect(throws: CryptographyError.self) {
            try self.box([1: SecretBytes(copying: [1])], current: 1)
        }
        #expect(throws: CryptographyError.self) { try self.box([1: first], current: 2) }
    }
}
