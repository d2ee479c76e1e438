import Cryptography
import ServiceRuntime
import TestSupport
import Testing

@testable import SessionService

@Suite("G-10: refresh tokens are ours or nothing")
struct RefreshTokenTests {
    let seal: RefreshTokenSeal
    let token: RefreshToken

    init() throws {
        let master = SecretBytes(copying: [UInt8](repeating: 3, count: 32))
        seal = RefreshTokenSeal(key: KeyedHash(master: master, purpose: "session/refresh token"))
        token = RefreshToken(session: try #require(SessionID(key: 77)), counter: 5)
    }

    @Test("a token is read as it was written, and has 44 characters")
    func roundTrip() {
        let text = seal.text(of: token)
        #expect(text.utf8.count == 44)
        #expect(seal.token(text) == token)
    }

    @Test("with any one bit of it changed it is refused")
    func everyBit() throws {
        let bytes = try #require(Base64URL.decode(seal.text(of: token).utf8))
        for bit in 0..<(bytes.count * 8) {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(seal.token(Base64URL.encode(changed)) == nil, "bit \(bit)")
        }
    }

    @Test("cut anywhere, made longer, or empty it is refused")
    func otherLengths() {
        let text = seal.text(of: token)
        for count in 0..<text.utf8.count {
            #expect(seal.token(String(text.prefix(count))) == nil, "\(count) characters")
        }
        for more in ["A", "=", "\n", "AAAA"] { #expect(seal.token(text + more) == nil) }
    }

    @Test("a token under another key is refused")
    func otherKey() {
        let other = RefreshTokenSeal(
            key: KeyedHash(
                master: SecretBytes(copying: [UInt8](repeating: 4, count: 32)),
                purpose: "session/refresh token"))
        #expect(seal.token(other.text(of: token)) == nil)
    }

    @Test("of 10,000 random texts of the right length none is taken")
    func randomTexts() {
        let randomness = SeededRandomness(seed: 11)
        for _ in 0..<10_000 {
            #expect(seal.token(Base64URL.encode([1] + randomness.bytes(32))) == nil)
        }
    }
}
