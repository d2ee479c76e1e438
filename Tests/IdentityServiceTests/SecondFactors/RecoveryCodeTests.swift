import Cryptography
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import IdentityService

@Suite("F-04: recovery codes")
struct RecoveryCodeTests {
    private let keys: IdentityKeys
    private let account: AccountID

    init() throws {
        keys = try IdentityKeys(
            master: SecretBytes(copying: [UInt8](repeating: 7, count: 32)),
            signInProofs: SecretBytes(copying: [UInt8](repeating: 9, count: 32)),
            randomness: SeededRandomness())
        account = try #require(AccountID(key: 1))
    }

    private func typed(_ text: String) -> RecoveryCode? {
        RecoveryCode(typed: SecretBytes(text))
    }

    @Test("one has thirteen characters in groups, without letters that look like digits")
    func form() {
        let randomness = SeededRandomness()
        var seen: Set<Character> = []
        for _ in 0..<500 {
            let shown = RecoveryCode.drawn(from: randomness).shown
            #expect(shown.wholeMatch(of: /[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{5}/) != nil)
            seen.formUnion(shown)
        }
        #expect(seen == Set("0123456789ABCDEFGHJKMNPQRSTVWXYZ-"))
    }

    @Test("ten of them are ten, each with bits of its own")
    func drawn() {
        let randomness = SeededRandomness()
        let codes = (0..<10_000).map { _ in RecoveryCode.drawn(from: randomness) }
        #expect(Set(codes).count == codes.count)
    }

    /// All values of a byte in turn.
    private final class Counting: Randomness {
        private let state = Mutex<UInt8>(0)

        func fill(_ buffer: UnsafeMutableRawBufferPointer) {
            state.withLock { next in
                for place in buffer.indices {
                    buffer[place] = next
                    next &+= 1
                }
            }
        }
    }

    /// NIST SP 800-63B-4, 3.1.2 asks for 64.
    @Test("it has 65 bits: in each place each of 32 characters is as likely as another")
    func bits() {
        // 13 and 256 have no common divisor, so each place gets each byte once.
        let randomness = Counting()
        var counts = [[Character: Int]](repeating: [:], count: 13)
        for _ in 0..<256 {
            let code = RecoveryCode.drawn(from: randomness).shown.filter { $0 != "-" }
            #expect(code.count == counts.count)
            for (place, character) in code.enumerated() {
                counts[place][character, default: 0] += 1
            }
        }
        for place in counts {
            #expect(place.count == 32 && place.values.allSatisfy { $0 == 8 })
        }
        // 32 to the power of 13.
        #expect(counts.map { $0.count.trailingZeroBitCount }.reduce(0, +) == 65)
        #expect(RecoveryCode.count == 10)
    }

    @Test("each character is read as itself or as what it looks like, and no two codes as one")
    func confusions() throws {
        let alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
        let meant: [Character: Character] = ["O": "0", "I": "1", "L": "1"]
        var read: [String: Set<String>] = [:]
        for byte in UInt8.min...UInt8.max where byte != UInt8(ascii: "-") && byte != 32 {
            let code = RecoveryCode(
                typed: SecretBytes(copying: [byte] + [UInt8](repeating: 48, count: 12)))
            let typed = String(Unicode.Scalar(byte))
            let character = typed.uppercased().first ?? " "
            let isASCII = byte < 128
            let expected = meant[character] ?? (alphabet.contains(character) ? character : nil)
            guard isASCII, let expected else {
                #expect(code == nil, "\(byte)")
                continue
            }
            #expect(code?.shown == "\(expected)000-0000-00000", "\(byte)")
            read[String(expected), default: []].insert(typed)
        }
        #expect(read.count == 32)
        #expect(read["0"] == ["0", "o", "O"] && read["1"] == ["1", "i", "I", "l", "L"])
        #expect(read["U"] == nil && read["V"] == ["v", "V"])
    }

    @Test("case, hyphens, spaces, and o, i and l for 0 and 1 do not matter")
    func typing() throws {
        let code = try #require(typed("K7M2-9QXE-4TW01"))
        for text in [
            "k7m2-9qxe-4tw01", "K7M29QXE4TW01", " k7m2 9qxe 4two1 ", "K7M2-9QXE-4TWOI",
            "k7m2-9qxe-4twol", "K-7-M-2-9-Q-X-E-4-T-W-0-1",
        ] {
            #expect(typed(text) == code, "\(text)")
        }
        #expect(code.shown == "K7M2-9QXE-4TW01")
    }

    @Test(
        "anything else is none",
        arguments: [
            "", "K7M2-9QXE-4TW0", "K7M2-9QXE-4TW012", "K7M2-9QXE-4TWU1", "K7M2_9QXE_4TW01",
            "Ｋ7M2-9QXE-4TW01", "K7M2-9QXE-4TW0\u{0}", "123456",
            "K7M2-9QXE-4TW01" + String(repeating: " ", count: 50),
        ])
    func malformed(text: String) {
        #expect(typed(text) == nil)
    }

    /// Attack: the store is read. The hash names no code without the key, and an account's codes are
    /// not found in another's.
    @Test("the stored hash depends on the code, the account and the key")
    func hashed() throws {
        let code = try #require(typed("K7M2-9QXE-4TW01"))
        let other = try #require(AccountID(key: 2))
        let hash = code.lookUpKey(in: account, keys)
        #expect(hash == typed("k7m29qxe4twol")?.lookUpKey(in: account, keys))
        #expect(hash != code.lookUpKey(in: other, keys))
        #expect(hash != typed("K7M2-9QXE-4TW02")?.lookUpKey(in: account, keys))
        let foreign = try IdentityKeys(
            master: SecretBytes(copying: [UInt8](repeating: 8, count: 32)),
            signInProofs: SecretBytes(copying: [UInt8](repeating: 9, count: 32)),
            randomness: SeededRandomness())
        #expect(hash != code.lookUpKey(in: account, foreign))
    }
}
