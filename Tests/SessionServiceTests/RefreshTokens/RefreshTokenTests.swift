import Cryptography
import ServiceRuntime
import TestSupport
import Testing

@testable import SessionService

@Suite("G-10: only refresh tokens of our own are accepted")
struct RefreshTokenTests {
    let seal: RefreshTokenSeal
    let token: RefreshToken

    init() throws {
        seal = try #require(RefreshTokenSeal(current: 2, keys: [1: Self.key(1), 2: Self.key(2)]))
        token = RefreshToken(session: try #require(SessionID(key: 77)), counter: 5)
    }

    private static func key(_ byte: UInt8) -> KeyedHash {
        KeyedHash(key: SecretBytes(copying: [UInt8](repeating: byte, count: 32)))
    }

    @Test("a token is read as it was written and has 44 characters")
    func roundTrip() throws {
        for counter in [1, 5, 255, 256, 1 << 32, 1 << 56 - 1] {
            let token = RefreshToken(session: token.session, counter: Int64(counter))
            let text = seal.text(of: token)
            #expect(text.utf8.count == 44)
            #expect(seal.token(text) == token)
        }
    }

    @Test("a token with any single bit changed is rejected")
    func everyBit() throws {
        let bytes = try #require(Base64URL.decode(seal.text(of: token).utf8))
        for bit in 0..<(bytes.count * 8) {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(seal.token(Base64URL.encode(changed)) == nil, "bit \(bit)")
        }
    }

    @Test("a token that is cut, extended or empty is rejected")
    func otherLengths() {
        let text = seal.text(of: token)
        for count in 0..<text.utf8.count {
            #expect(seal.token(String(text.prefix(count))) == nil, "\(count) characters")
        }
        for more in ["A", "=", "\n", "AAAA"] { #expect(seal.token(text + more) == nil) }
    }

    @Test("a token under an old key is read; one under another key with the same id is not")
    func otherKeys() throws {
        let old = try #require(RefreshTokenSeal(current: 1, keys: [1: Self.key(1)]))
        #expect(seal.token(old.text(of: token)) == token)
        let foreign = try #require(RefreshTokenSeal(current: 1, keys: [1: Self.key(9)]))
        #expect(seal.token(foreign.text(of: token)) == nil)
        #expect(old.token(seal.text(of: token)) == nil, "a key no longer or not yet accepted")
        #expect(RefreshTokenSeal(current: 3, keys: [1: Self.key(1)]) == nil)
    }

    @Test("of 10,000 random texts of the right length none is accepted")
    func randomTexts() {
        let randomness = SeededRandomness(seed: 11)
        for _ in 0..<10_000 {
            #expect(seal.token(Base64URL.encode([2, 2] + randomness.bytes(31))) == nil)
        }
    }
}
